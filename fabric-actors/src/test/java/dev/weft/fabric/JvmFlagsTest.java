package dev.weft.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class JvmFlagsTest {
  /** A JVM without it has slower simulations and no fault. */
  private static final String FOR_SPEED = "--add-opens=java.base/java.lang=ALL-UNNAMED";

  @Test
  void shouldBeThoseOfTheBuild() throws Exception {
    String pom = Files.readString(Path.of(System.getProperty("weft.root"), "pom.xml"));
    String flags = pom.substring(pom.indexOf("<weft.jvm.flags>") + 16, pom.indexOf("</weft.jvm.flags>"));
    assertEquals(JvmFlags.NEEDED, Stream.of(flags.split(" ")).filter(flag -> !flag.equals(FOR_SPEED)).toList());
  }

  @Test
  void shouldFindThemInThisJvm() {
    JvmFlags.check();
  }
}
