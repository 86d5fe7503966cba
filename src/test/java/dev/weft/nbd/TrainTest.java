package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./weft} records its AOT cache of. */
@Timeout(400)
@Tag("jvms")
class TrainTest {
  @Test
  void shouldUseTheCodeOfSeveralJvmsInOneAndLeaveNothingBehind(@TempDir Path directory) throws Exception {
    try (WeftProcess weft = new WeftProcess(List.of(), "-Dweft.train.directory=" + directory)) { // Others train, too.
      WeftProcess.Answer answer = weft.run("train", "--seconds=1");
      assertEquals(0, answer.exitCode(), answer.out() + answer.err());
      assertEquals("", answer.out());
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertEquals(List.of(), left.toList());
    }
  }
}
