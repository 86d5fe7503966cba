package dev.weft.pvfs.files;

import static dev.weft.pvfs.Waits.await;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.cluster.SmallFileSystem;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.check.FileSystemCheck;
import dev.weft.pvfs.check.Problem;
import dev.weft.pvfs.check.Report;
import dev.weft.pvfs.manager.FileSystemLabel;
import dev.weft.pvfs.wire.Caller;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A file system whose names and stripes lie in a directory, ended as a whole and started again. */
@Tag("jvms")
@Timeout(180)
class DurableFileSystemTest {
  private static final String SETTINGS = "weft.pvfs.manager { grace = 100 ms, store.reserve = 1 MiB }\nweft.pvfs.daemon.zones = 12 MiB";
  @TempDir private Path directory;
  private final FileSystemLabel label = FileSystemLabel.random(2);

  private FileSystemCluster start() {
    return new FileSystemCluster(2, SETTINGS, directory, label);
  }

  @Test
  void shouldHaveAllNamesAndDataWhenItIsStartedAgainAndFindADamagedBlock() throws Exception {
    byte[] data = new byte[700_000];
    new Random(3).nextBytes(data);
    MemorySegment memory = Arena.ofAuto().allocate(data.length).copyFrom(MemorySegment.ofArray(data));
    try (FileSystemCluster cluster = start(); PvfsFileSystem files = cluster.connect(Caller.ROOT)) {
      files.mkdir("/d", 0755);
      try (PvfsFile file = files.open("/d/f", CREATE_NEW, WRITE)) {
        file.write(memory, 0);
        file.sync();
      }
      files.symlink("d/f", "/link");
      cluster.stopAll();
    }
    try (FileSystemCluster cluster = start(); PvfsFileSystem files = cluster.connect(Caller.ROOT)) {
      assertEquals(data.length, files.attributes("/link").bytes());
      try (PvfsFile file = files.open("/link")) {
        assertEquals(data.length, file.read(memory.fill((byte) 0), 0));
      }
      assertArrayEquals(data, memory.toArray(ValueLayout.JAVA_BYTE));
      assertTrue(check(cluster, files).isClean());
      cluster.stopAll();
    }
    damage();
    try (FileSystemCluster cluster = start(); PvfsFileSystem files = cluster.connect(Caller.ROOT)) {
      assertEquals(List.of(Problem.BAD_CHECKSUM), check(cluster, files).problems().stream().map(Problem::kind).toList());
      cluster.stopAll();
    }
  }

  /** As two daemons have it that keep their stripes in one directory. */
  @Test
  void shouldCountTheRoomOfADiskOnceHoweverManyDaemonsShareIt() throws Exception {
    try (SmallFileSystem small = SmallFileSystem.mount(directory.resolve("small"), 64);
        FileSystemCluster cluster = new FileSystemCluster(2, SETTINGS, small.path(), label);
        PvfsFileSystem files = cluster.connect(Caller.ROOT)) {
      FileMetadata.Space space = files.metadata().space();
      assertEquals(small.path().toFile().getTotalSpace(), space.totalBytes());
      assertTrue(space.freeBytes() <= small.path().toFile().getUsableSpace(), space.toString());
      cluster.stopAll();
    }
  }

  /** Names and data lie on one disk: if data took the last of it, nothing could be removed any more. */
  @Test
  void shouldRemoveWhatHasFilledItsDisk() throws Exception {
    MemorySegment block = Arena.ofAuto().allocate(1 << 20).fill((byte) 1);
    try (SmallFileSystem small = SmallFileSystem.mount(directory.resolve("small"), 64);
        FileSystemCluster cluster = new FileSystemCluster(2, SETTINGS.replace("reserve = 1 MiB", "reserve = 12 MiB") + "\nweft.pvfs.daemon.reserve = 8 MiB",
            small.path(), label);
        PvfsFileSystem files = cluster.connect(Caller.ROOT)) {
      for (int turn = 0; turn < 2; turn++) {
        long bytes = fill(files, block);
        assertTrue(bytes > 0, "there is room in turn " + turn);
        long length = files.attributes("/big").bytes();
        assertTrue(length >= bytes && length <= bytes + block.byteSize(),
            "of the write that failed some daemon may have its part, the last one too: " + length + " after " + bytes);
        assertTrue(Files.getFileStore(small.path()).getUsableSpace() >= 6 << 20, "data leaves some");
        files.unlink("/big");
        await(() -> room(small) > bytes, () -> "the room is free again: " + room(small) + " of " + bytes);
      }
      files.mkdir("/after", 0755);
      cluster.stopAll();
    }
  }

  private static long room(SmallFileSystem small) {
    return small.path().toFile().getUsableSpace();
  }

  /** Writes until there is no room; the length then. */
  private static long fill(PvfsFileSystem files, MemorySegment block) throws PvfsException {
    long bytes = 0;
    try (PvfsFile file = files.open("/big", CREATE_NEW, WRITE)) {
      while (true) {
        try {
          file.write(block, bytes);
        } catch (PvfsException full) {
          assertEquals(Errno.ENOSPC, full.errno());
          return bytes;
        }
        bytes += block.byteSize();
      }
    }
  }

  private static Report check(FileSystemCluster cluster, PvfsFileSystem files) {
    try (FileSystemCheck check = cluster.check(files)) {
      return check.run(new FileSystemCheck.Wish(true, false, true));
    }
  }

  /** Changes a byte in the middle of the largest file of a daemon. */
  private void damage() throws Exception {
    Path largest;
    try (Stream<Path> all = Files.walk(directory.resolve("io-0"))) {
      largest = all.filter(Files::isRegularFile).max((one, other) -> Long.compare(one.toFile().length(), other.toFile().length())).orElseThrow();
    }
    try (FileChannel channel = FileChannel.open(largest, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, 100_000);
      one.put(0, (byte) (one.get(0) + 1));
      channel.write(one.flip(), 100_000);
    }
  }
}
