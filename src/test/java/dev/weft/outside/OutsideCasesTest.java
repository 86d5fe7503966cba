package dev.weft.outside;

import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weft.fabric.rules.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Scripts against {@code ./weft}, each after a bug that another system had. All share one fabric. To add a case, put {@code br-NN.sh} or {@code br-NN.py} into
 * {@code src/test/outside}; {@code lib.sh} there says what it finds. {@code -Dweft.test.outside=br-04} runs those whose names begin so.
 */
@Tag("client")
@Timeout(900)
class OutsideCasesTest {
  private static final Path SCRIPTS = Path.of(System.getProperty("weft.root"), "src/test/outside");

  private static OutsideFabric fabric;

  @BeforeAll
  @Timeout(900)
  static void start() throws IOException, InterruptedException {
    Needs.that(Files.isDirectory(SCRIPTS.resolve("../../../launcher/target/lib")), "the launcher is not packaged; run mvn package, or verify");
    Needs.that(new ProcessBuilder("sh", "-c", "exec 3<>/dev/fuse && test $(id -u) = 0").start().waitFor() == 0, "it takes /dev/fuse and root");
    fabric = new OutsideFabric();
  }

  @AfterAll
  @Timeout(900)
  static void end() throws IOException, InterruptedException {
    if (fabric != null) {
      fabric.close();
    }
  }

  static List<OutsideCase> cases() throws IOException {
    String prefix = System.getProperty("weft.test.outside", "");
    return OutsideCase.all(SCRIPTS).stream().filter(each -> each.script().getFileName().toString().startsWith(prefix)).toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void shouldDoRight(OutsideCase each) throws Exception {
    assertNull(fabric.problem(each), each::toString);
  }
}
