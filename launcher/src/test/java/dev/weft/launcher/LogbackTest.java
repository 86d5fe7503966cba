package dev.weft.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import org.junit.jupiter.api.Test;

/** The launcher's own logback.xml, which its tests' hides. */
class LogbackTest {
  @Test
  void shouldTellWhatAkkaCouldNotRead() throws Exception {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(LogbackTest.class.getResource("/logback.xml"));
    for (String name : new String[] {"akka.remote.artery.Deserializer", "akka.remote.artery.Decoder"}) {
      assertEquals(Level.WARN, context.getLogger(name).getEffectiveLevel(), name + " is silenced where there is a secret, by its actor system");
    }
    assertEquals(Level.ERROR, context.getLogger("akka.serialization.Serialization(akka://weft)").getEffectiveLevel());
    context.stop();
  }
}
