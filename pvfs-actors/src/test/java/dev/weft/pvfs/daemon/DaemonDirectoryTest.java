package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which daemon one on a directory says that it is. */
class DaemonDirectoryTest {
  @TempDir private Path temporary;
  private final Random random = new Random();

  private DaemonDirectory open(String name) {
    return DaemonDirectory.open(temporary.resolve(name), "io", "", 0, random);
  }

  private long identity() {
    try (DaemonDirectory opened = open("a")) {
      return opened.identity();
    }
  }

  @Test
  void shouldBeTheSameOneAsLongAsTheMachineIsUp() {
    long first = identity();
    assertEquals(first, identity());
    assertEquals(0, first & 1, "not one in memory");
    try (DaemonDirectory other = open("b")) {
      assertNotEquals(first, other.identity());
    }
  }

  @Test
  void shouldBeAnotherOneAfterASyncHasFailed() throws IOException {
    long first;
    try (DaemonDirectory opened = open("a")) {
      first = opened.identity();
      opened.renumber();
      String said = Files.readString(temporary.resolve("a/daemon.format"));
      opened.renumber();
      assertEquals(said, Files.readString(temporary.resolve("a/daemon.format")), "once is enough");
      assertEquals(first, opened.identity(), "this one has what it has");
      assertEquals(1, opened.run());
    }
    long second = identity();
    assertNotEquals(first, second);
    assertEquals(second, identity());
  }

  @Test
  void shouldTellWhoAsksWhereASyncFails() throws IOException {
    int[] lost = {0};
    Path directory = Files.createDirectory(temporary.resolve("disk"));
    LinuxDisk disk = new LinuxDisk(directory, 0, () -> lost[0]++);
    disk.open(7, Disk.Kind.DATA, true).close();
    disk.syncName(7);
    assertEquals(0, lost[0]);
    assertThrows(DiskException.class, () -> disk.syncName(8)); // There is no such directory.
    assertEquals(1, lost[0]);
  }

  @Test
  void shouldRefuseANumberThatIsNone() throws IOException {
    identity();
    Path format = temporary.resolve("a/daemon.format");
    Files.writeString(format, Files.readString(format).replaceAll("number=.*", "number=x"));
    StoreException refused = assertThrows(StoreException.class, this::identity);
    assertTrue(refused.getMessage().contains("'number' is 'x'"), refused.getMessage());
    assertFalse(refused.getMessage().contains("  "));
  }
}
