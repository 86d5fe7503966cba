package dev.weft.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class JvmFlagsTest {
  @Test
  void shouldBeThoseOfTheBuild() throws Exception {
    String pom = Files.readString(Path.of(System.getProperty("weft.root"), "pom.xml"));
    String flags = pom.substring(pom.indexOf("<weft.jvm.flags>") + 16, pom.indexOf("</weft.jvm.flags>"));
    assertEquals(JvmFlags.NEEDED, List.of(flags.split(" ")));
  }

  @Test
  void shouldFindThemInThisJvm() {
    JvmFlags.check();
  }
}
