package dev.weft.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The launcher's own logback.xml, which its tests' hides. */
class LogbackTest {
  private LoggerContext context;

  @BeforeEach
  void configure() throws Exception {
    context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(LogbackTest.class.getResource("/logback.xml"));
  }

  @AfterEach
  void stop() {
    context.stop();
  }

  /** What Artery logs of an error of the media driver is the text of that, with the places in Aeron where it was made. */
  @Test
  void shouldTellOfAnErrorOfTheMediaDriverInOneLine() {
    Logger logger = context.getLogger("akka.remote.artery.ArteryTransport");
    String told = "Aeron error: 1 observations from 11/27/2026 05:20:32.916 to 11/27/2026 05:20:32.916 for:\n io.aeron.exceptions.StorageSpaceException:"
        + " ERROR - insufficient usable storage for new log of length=3149824 usable=0 in /dev/shm (tmpfs)\n"
        + "\tat io.aeron.driver.buffer.FileStoreLogFactory.checkStorage(FileStoreLogFactory.java:150)\n"
        + "\tat java.base/java.lang.Thread.run(Thread.java:1474)\n\n";
    StringBuilder lines = new StringBuilder();
    for (Logger at = logger; at != null; at = at == logger && logger.isAdditive() ? context.getLogger("ROOT") : null) {
      at.iteratorForAppenders().forEachRemaining(appender -> lines.append(new String(((ConsoleAppender<ILoggingEvent>) appender).getEncoder()
          .encode(new LoggingEvent("", logger, Level.ERROR, told, null, null)), StandardCharsets.UTF_8)));
    }
    assertEquals("ERROR a.r.a.ArteryTransport Aeron error: 1 observations from 11/27/2026 05:20:32.916 to 11/27/2026 05:20:32.916 for:"
        + " io.aeron.exceptions.StorageSpaceException: ERROR - insufficient usable storage for new log of length=3149824 usable=0 in /dev/shm (tmpfs);"
        + " make it larger (for a container: --shm-size)\n",
        lines.substring("00:00:00.000 ".length()));
  }

  @Test
  void shouldTellWhatAkkaCouldNotRead() {
    for (String name : new String[] {"akka.remote.artery.Deserializer", "akka.remote.artery.Decoder"}) {
      assertEquals(Level.WARN, context.getLogger(name).getEffectiveLevel(), name + " is silenced where there is a secret, by its actor system");
    }
    assertEquals(Level.ERROR, context.getLogger("akka.serialization.Serialization(akka://weft)").getEffectiveLevel());
  }
}
