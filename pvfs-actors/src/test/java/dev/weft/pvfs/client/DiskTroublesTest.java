package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.cluster.SmallFileSystem;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Daemons whose disk is full or read-only, or which are killed. */
@Tag("jvms")
@Timeout(120)
class DiskTroublesTest {
  private static final Striping STRIPING = WritingProcess.STRIPING;
  @TempDir private Path temporary;

  private static MemorySegment filled(int bytes, int with) {
    return Arena.ofAuto().allocate(bytes).fill((byte) with);
  }

  @ParameterizedTest
  @EnumSource(Band.class)
  void shouldLeaveNothingOfAWriteThatFoundTheDiskFull(Band band) throws IOException {
    try (SmallFileSystem small = SmallFileSystem.mount(temporary.resolve("small"), 4);
        StripedCluster cluster = new StripedCluster(1, WritingProcess.settings(small.path())); DataClient client = cluster.client(band)) {
      Path file = small.path().resolve("io-0/objects/01/0000000000000001");
      assertEquals(Errno.OK, client.write(1, STRIPING, 0, filled(1_000_000, 1)).errno());
      int errno = Errno.OK;
      for (int i = 0; i < 2000 && errno == Errno.OK; i++) { // Bands that carry little need many.
        long before = client.stat(1, STRIPING).fileBytes();
        errno = client.write(1, STRIPING, before, filled(band == Band.SERVER ? 8 << 20 : 4096, 2)).errno();
        assertEquals(errno == Errno.OK ? before + 4096 : before, client.stat(1, STRIPING).fileBytes());
        assertEquals(client.stat(1, STRIPING).fileBytes(), Files.size(file));
      }
      assertEquals(Errno.ENOSPC, errno);
      MemorySegment back = filled(1_000_000, 0);
      assertEquals(Errno.OK, client.read(1, STRIPING, 0, back).errno());
      assertEquals(-1, back.mismatch(filled(1_000_000, 1)), "what was there stays");
      assertEquals(Errno.OK, client.punch(1, STRIPING, 65_536, 5 << 20).errno());
      assertEquals(Errno.OK, client.truncate(1, STRIPING, 70_000).errno());
      assertEquals(Errno.OK, client.write(1, STRIPING, 0, filled(500_000, 3)).errno(), "there is room again");
      assertEquals(Errno.OK, client.sync(1, STRIPING).errno());
      IoTask room = client.call(DaemonOp.STATFS, 0, STRIPING, new long[0], new long[0], new MemorySegment[0]);
      assertEquals(4 << 20, room.totalBytes());
      cluster.assertIdle();
    }
  }

  @Test
  void shouldNotStartOnADirectoryThatCannotBeWritten() throws IOException {
    try (SmallFileSystem small = SmallFileSystem.mount(temporary.resolve("small"), 4)) {
      small.makeReadOnly();
      StoreException refused = assertThrows(StoreException.class, () -> new StripedCluster(1, WritingProcess.settings(small.path())));
      assertTrue(refused.getMessage().contains("Read-only file system"), refused.getMessage());
    }
    Files.writeString(temporary.resolve("file"), "");
    StoreException refused = assertThrows(StoreException.class, () -> new StripedCluster(1, WritingProcess.settings(temporary.resolve("file"))));
    assertTrue(refused.getMessage().contains("file"), refused.getMessage());
  }

  @Test
  void shouldLoseNothingThatWasAcknowledgedWhenItIsKilled() throws IOException, InterruptedException {
    try (WritingProcess writer = WritingProcess.start(temporary)) {
      writer.awaitWrites(150);
      StoreException used = assertThrows(StoreException.class, () -> new StripedCluster(1, WritingProcess.settings(temporary)));
      assertTrue(used.getMessage().contains("(process " + writer.pid() + ")"), used.getMessage());
      long acknowledged = writer.kill();
      assertTrue(acknowledged >= 150, () -> acknowledged + " writes");
      verify(acknowledged);
    }
  }

  /** The write after the last one that was acknowledged may have been done, in part, too. */
  private void verify(long acknowledged) {
    Map<Long, byte[]> expected = new HashMap<>();
    for (long number = 1; number <= acknowledged; number++) {
      WritingProcess.Write write = WritingProcess.Write.of(number);
      byte[] object = expected.computeIfAbsent(write.object(), _ -> new byte[WritingProcess.OBJECT_BYTES]);
      System.arraycopy(write.data(), 0, object, write.offset(), write.data().length);
    }
    WritingProcess.Write open = WritingProcess.Write.of(acknowledged + 1);
    try (StripedCluster cluster = new StripedCluster(1, WritingProcess.settings(temporary)); DataClient client = cluster.client(null)) {
      expected.forEach((object, bytes) -> {
        MemorySegment back = filled(bytes.length, 9);
        assertEquals(Errno.OK, client.read(object, STRIPING, 0, back).errno());
        byte[] has = back.toArray(ValueLayout.JAVA_BYTE);
        for (int i = 0; i < has.length; i++) {
          boolean isOpen = open.object() == object && i >= open.offset() && i < open.offset() + open.data().length;
          if (!isOpen && has[i] != bytes[i]) {
            throw new AssertionError("byte " + i + " of object " + object + " is another one after " + acknowledged + " writes");
          }
        }
        assertEquals(0, client.scrub(object, STRIPING, bytes.length).badBlocks());
      });
      cluster.assertIdle();
    }
  }
}
