package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LinuxDiskTest {
  private static final int BYTES = 64 << 10;

  @TempDir private Path directory;
  private final MemorySegment data = Arena.ofAuto().allocate(BYTES).fill((byte) 7);

  /** One that leaves so much free that there is no room for anything. */
  private LinuxDisk full() throws IOException {
    return new LinuxDisk(directory, Files.getFileStore(directory).getTotalSpace(), () -> { });
  }

  private static void assertNoRoom(Disk.File file, long at, MemorySegment from) {
    DiskException refused = assertThrows(DiskException.class, () -> file.write(at, from));
    assertEquals(Errno.ENOSPC, refused.errno);
    assertTrue(refused.getMessage().contains("weft.pvfs.daemon.reserve"), refused::getMessage);
  }

  @Test
  void shouldLeaveTheReserveFreeAndWriteAgainWhatLiesThere() throws IOException {
    Disk.File before = new LinuxDisk(directory, 0, () -> { }).open(1, Disk.Kind.DATA, true);
    before.write(0, data);
    before.truncate(4L * BYTES); // A hole.
    before.write(3L * BYTES, data);
    before.sync();
    before.close();
    LinuxDisk disk = full();
    assertEquals(0, disk.freeBytes());
    Disk.File file = disk.open(1, Disk.Kind.DATA, false);
    file.write(0, data.fill((byte) 8));
    file.write(3L * BYTES + 10, data.asSlice(0, 100));
    assertNoRoom(file, 4L * BYTES - 10, data.asSlice(0, 20));
    assertNoRoom(file, BYTES, data);
    assertNoRoom(file, BYTES - 10, data.asSlice(0, BYTES / 2));
    assertNoRoom(file, 4L * BYTES, data);
    assertEquals(4L * BYTES, file.bytes());
    file.truncate(BYTES);
    file.punch(0, 4096);
    file.close();
    disk.open(1, Disk.Kind.SUMS, true).write(0, data.asSlice(0, 8)); // What is needed to remove something must be written.
    assertTrue(disk.remove(1, Disk.Kind.DATA));
  }
}
