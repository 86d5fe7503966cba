package dev.weft.lab.sim.pvfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.kit.Draw;
import dev.weft.pvfs.daemon.Disk;
import dev.weft.pvfs.daemon.DiskException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A simulated disk keeps what it has to, and nothing for sure but that. */
class DaemonDiskTest {
  private static final int BYTES = 4 * 512;
  private static final long ROOM = 1 << 20;

  private long nowNs = 1_000;
  private final DaemonDisk disk = new DaemonDisk(() -> nowNs, new DaemonDisk.Times(10, 100), ROOM);

  private Disk start() {
    Disk started = disk.attach();
    started.syncAll();
    return started;
  }

  /** Lets the time pass that what was done takes. */
  private long pass(Disk user) {
    long took = user.tookNs();
    nowNs += took;
    return took;
  }

  private static MemorySegment filled(int value) {
    byte[] bytes = new byte[BYTES];
    Arrays.fill(bytes, (byte) value);
    return MemorySegment.ofArray(bytes);
  }

  private static byte[] all(Disk.File file) {
    MemorySegment to = MemorySegment.ofArray(new byte[(int) file.bytes()]);
    file.read(0, to);
    return to.toArray(ValueLayout.JAVA_BYTE);
  }

  private Disk.File written(Disk user, int value) {
    Disk.File file = user.open(7, Disk.Kind.DATA, true);
    file.write(0, filled(value));
    return file;
  }

  @Test
  void shouldKeepAllOfAKilledDaemonThatHadBegun() {
    Disk user = start();
    Disk.File file = written(user, 1);
    pass(user);
    file.write(0, filled(2)); // Begins later than now.
    disk.kill();
    assertArrayEquals(filled(1).toArray(ValueLayout.JAVA_BYTE), all(start().open(7, Disk.Kind.DATA, false)));
    assertThrows(DiskException.class, () -> file.write(0, filled(3)));
  }

  @Test
  void shouldKeepWhatWasSyncedAndAnyPartOfWhatCameLater() {
    Set<String> seen = new HashSet<>();
    for (int seed = 0; seed < 200; seed++) {
      DaemonDisk other = new DaemonDisk(() -> nowNs, new DaemonDisk.Times(10, 100), ROOM);
      Disk user = other.attach();
      Disk.File file = written(user, 1);
      file.sync();
      user.syncName(7);
      pass(user);
      file.write(0, filled(2));
      pass(user);
      other.losePower(new Draw(seed));
      byte[] left = all(other.attach().open(7, Disk.Kind.DATA, false));
      StringBuilder sectors = new StringBuilder();
      for (int at = 0; at < BYTES; at += 512) {
        for (int i = at; i < at + 512; i++) {
          assertEquals(left[at], left[i], "a sector is whole");
        }
        sectors.append(left[at]);
      }
      seen.add(sectors.toString());
    }
    assertEquals(16, seen.size(), "each sector is old or new: " + seen);
  }

  @Test
  void shouldNotTakeASyncForDoneBeforeItsTime() {
    int lost = 0;
    for (int seed = 0; seed < 100; seed++) {
      DaemonDisk other = new DaemonDisk(() -> nowNs, new DaemonDisk.Times(10, 100), ROOM);
      Disk user = other.attach();
      Disk.File file = written(user, 1);
      file.sync();
      user.syncName(7);
      nowNs += 50; // In the middle of the sync.
      other.losePower(new Draw(seed));
      lost += other.attach().open(7, Disk.Kind.DATA, false) == null ? 1 : 0;
    }
    assertTrue(lost > 20 && lost < 80, lost + " of 100 names are gone");
  }

  @Test
  void shouldNotKeepWhatAFailedSyncHasLeft() {
    int lost = 0;
    for (int seed = 0; seed < 100; seed++) {
      DaemonDisk other = new DaemonDisk(() -> nowNs, new DaemonDisk.Times(10, 100), ROOM);
      Disk user = other.attach();
      Disk.File file = user.open(7, Disk.Kind.DATA, true);
      user.syncName(7);
      file.write(0, filled(1));
      other.begin(DaemonDisk.Trouble.SYNCS_FAIL, 0);
      assertThrows(DiskException.class, file::sync);
      other.end(DaemonDisk.Trouble.SYNCS_FAIL);
      file.sync(); // Says nothing of what was lost.
      pass(user);
      other.losePower(new Draw(seed));
      lost += other.attach().open(7, Disk.Kind.DATA, false).bytes() < BYTES ? 1 : 0;
    }
    assertTrue(lost > 20, lost + " of 100 are lost");
  }

  @Test
  void shouldRefuseWhatItHasNoRoomForButNotWhatIsThere() {
    Disk user = start();
    Disk.File file = written(user, 1);
    disk.begin(DaemonDisk.Trouble.FULL, 0);
    file.write(0, filled(2));
    assertEquals("the disk is full", assertThrows(DiskException.class, () -> file.write(SparseBytes.PAGE_BYTES, filled(3))).getMessage());
    disk.end(DaemonDisk.Trouble.FULL);
    file.write(SparseBytes.PAGE_BYTES, filled(3));
    assertEquals(SparseBytes.PAGE_BYTES + BYTES, file.bytes());
    file.truncate(10);
    assertEquals(ROOM - SparseBytes.PAGE_BYTES, user.freeBytes());
    assertTrue(user.remove(7, Disk.Kind.DATA));
    assertEquals(ROOM, user.freeBytes());
  }

  @Test
  void shouldStandStillForAWhile() {
    Disk user = start();
    disk.begin(DaemonDisk.Trouble.STALLS, nowNs + 5_000);
    written(user, 1);
    assertEquals(5_000 + 2 * 10, pass(user));
  }

  @Test
  void shouldUndoRemovalsNowAndThenAndSaySo() {
    int undone = 0;
    for (int seed = 0; seed < 100; seed++) {
      DaemonDisk other = new DaemonDisk(() -> nowNs, new DaemonDisk.Times(10, 100), ROOM);
      Disk user = other.attach();
      written(user, 1);
      user.syncAll();
      assertTrue(user.remove(7, Disk.Kind.DATA));
      pass(user);
      other.losePower(new Draw(seed));
      Disk again = other.attach();
      if (other.strays() == 1) {
        undone++;
        assertNotNull(again.open(7, Disk.Kind.DATA, false));
        assertEquals(SparseBytes.PAGE_BYTES, other.strayBytes());
      } else {
        assertNull(again.open(7, Disk.Kind.DATA, false));
      }
    }
    assertTrue(undone > 20 && undone < 80, undone + " of 100");
  }
}
