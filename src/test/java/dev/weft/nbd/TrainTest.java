package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code ./weft} records its AOT cache of. */
class TrainTest {
  private static Set<Path> directories() throws Exception {
    try (Stream<Path> files = Files.list(Path.of("/dev/shm"))) {
      return files.filter(file -> file.getFileName().toString().startsWith("weft-train-")).collect(Collectors.toSet());
    }
  }

  @Test
  @Timeout(120)
  void shouldUseTheCodeOfSeveralJvmsInOneAndLeaveNothingBehind() throws Exception {
    Set<Path> before = directories();
    try (WeftProcess weft = new WeftProcess()) {
      WeftProcess.Answer answer = weft.run("train", "--seconds=1");
      assertEquals(0, answer.exitCode(), answer.out() + answer.err());
      assertEquals("", answer.out());
    }
    assertEquals(before, directories());
  }
}
