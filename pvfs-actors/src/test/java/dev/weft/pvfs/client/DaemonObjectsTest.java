package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.DaemonOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a file system check asks of daemons. */
@Tag("actor")
@Timeout(180)
class DaemonObjectsTest {
  static TreeMap<Long, Long> list(DataClient client, int daemon, int pageBytes) {
    TreeMap<Long, Long> all = new TreeMap<>();
    MemorySegment page = Arena.ofAuto().allocate(pageBytes);
    long cookie = 0;
    do {
      IoTask task = client.list(daemon, cookie, page);
      assertEquals(Errno.OK, task.errno());
      assertTrue(task.pageBytes() <= pageBytes);
      for (int at = 0; at < task.pageBytes(); at += 16) {
        Long twice = all.put(page.get(ValueLayout.JAVA_LONG_UNALIGNED, at), page.get(ValueLayout.JAVA_LONG_UNALIGNED, at + 8L));
        assertEquals(null, twice, "object " + page.get(ValueLayout.JAVA_LONG_UNALIGNED, at) + " is on two pages");
      }
      cookie = task.nextCookie();
    } while (cookie != 0);
    return all;
  }

  @Test
  void shouldListEveryObjectOnceByPages() {
    try (StripedCluster cluster = new StripedCluster(2, ""); DataClient client = cluster.client(null)) {
      Striping striping = new Striping(1, 1, 65_536, 2);
      TreeMap<Long, Long> expected = new TreeMap<>();
      for (long object = 1; object <= 70; object += 1 + object % 3) {
        assertEquals(Errno.OK, client.truncate(object, striping, object * 1000).errno());
        expected.put(object, object * 1000);
      }
      assertEquals(expected, list(client, 1, 16 * 5));
      assertEquals(expected, list(client, 1, 1 << 20));
      assertEquals(new TreeMap<>(), list(client, 0, 64));
      assertEquals(Errno.EINVAL, client.list(1, 0, Arena.ofAuto().allocate(15)).errno(), "no object fits");
      assertEquals(0, client.scrub(1, striping, 1000).badBlocks());
    }
  }

  @Test
  void shouldScrubTheLongestFileThatThereIsWithOneRequestToEachDaemon() {
    try (StripedCluster cluster = new StripedCluster(2, ""); DataClient client = cluster.client(null)) {
      Striping striping = new Striping(0, 2, 65_536, 2);
      assertEquals(Errno.OK, client.truncate(1, striping, Striping.FILE_BYTES_MAX).errno());
      assertEquals(Errno.OK, client.write(1, striping, 1L << 45, Arena.ofAuto().allocate(100)).errno());
      IoTask scrub = client.scrub(1, striping, Striping.FILE_BYTES_MAX);
      assertEquals(Errno.OK, scrub.errno());
      assertEquals(0, scrub.badBlocks());
      assertEquals(1, cluster.daemon(0).requests().get(DaemonOp.SCRUB.ordinal()));
      assertEquals(1, cluster.daemon(1).requests().get(DaemonOp.SCRUB.ordinal()));
    }
  }

  @Test
  void shouldMakeNothingOfAnObjectThatWasRemoved() {
    try (StripedCluster cluster = new StripedCluster(1, ""); DataClient client = cluster.client(null)) {
      Striping striping = new Striping(0, 1, 65_536, 1);
      MemorySegment data = Arena.ofAuto().allocate(100_000);
      assertEquals(Errno.OK, client.write(3, striping, 0, data).errno());
      assertEquals(Errno.OK, client.remove(3, striping).errno());
      assertEquals(Errno.ENOENT, client.write(3, striping, 0, data).errno());
      assertEquals(Errno.ENOENT, client.truncate(3, striping, 10).errno());
      assertEquals(0, client.stat(3, striping).fileBytes());
      assertEquals(new TreeMap<>(), list(client, 0, 64));
    }
  }
}
