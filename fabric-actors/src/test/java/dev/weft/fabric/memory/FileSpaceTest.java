package dev.weft.fabric.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("jvms")
@Timeout(180)
class FileSpaceTest {
  @TempDir private Path directory;

  @Test
  void shouldHaveTheSpaceSetAsideBeforeAnythingIsWritten() throws Exception {
    Path path = directory.resolve("reserved");
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      FileSpace.reserve(path, file, 3 << 20);
      assertEquals(3 << 20, file.size());
    }
    Process stat = new ProcessBuilder("stat", "-c", "%b", path.toString()).start();
    long blocks = Long.parseLong(new String(stat.getInputStream().readAllBytes()).strip());
    assertTrue(blocks * 512 >= 3 << 20, blocks + " blocks of 512 bytes belong to the file");
  }

  @Test
  void shouldSayWhatIsMissingWhenThereIsTooLittle() throws Exception {
    Path path = directory.resolve("refused");
    long tooMuch = Files.getFileStore(directory).getUsableSpace() + (1L << 40);
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      IOException refused = assertThrows(IOException.class, () -> FileSpace.reserve(path, file, tooMuch));
      assertTrue(refused.getMessage().contains(directory.toString()) && refused.getMessage().contains(tooMuch + " are needed"),
          refused.getMessage());
      assertEquals(0, file.size(), "nothing was taken from others");
    }
  }
}
