package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.FileLock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LockTableTest {
  private static final long FILE = 7;
  private static final int MAX = 100;

  private final List<String> told = new ArrayList<>();
  private final LockTable table = new LockTable(MAX, new LockTable.Listener() {
    @Override
    public void granted(long session, long ticket) {
      told.add(session + " has " + ticket);
    }

    @Override
    public void wanted(long session, long inode) {
      told.add(session + " is asked for " + inode);
    }
  });

  private static FileLock range(long owner, int type, long start, long end) {
    return new FileLock(FileLock.POSIX, owner, type, start, end, 1);
  }

  private static FileLock whole(int kind, long owner, int type) {
    return FileLock.whole(kind, owner, type, 1);
  }

  private void assertLocks(long session, FileLock lock, int errno) {
    assertEquals(Errno.name(errno), Errno.name(table.lock(session, FILE, lock, 0)));
  }

  @Test
  void shouldShareForReadingAndExcludeForWriting() {
    assertLocks(1, range(1, FileLock.SHARED, 0, 9), Errno.OK);
    assertLocks(2, range(1, FileLock.SHARED, 5, 15), Errno.OK);
    assertLocks(2, range(1, FileLock.EXCLUSIVE, 9, 9), Errno.EAGAIN);
    assertLocks(2, range(1, FileLock.EXCLUSIVE, 10, 15), Errno.OK);
    assertEquals(range(1, FileLock.SHARED, 0, 9), table.conflict(2, FILE, range(1, FileLock.EXCLUSIVE, 0, 0)));
    assertNull(table.conflict(1, FILE, range(1, FileLock.EXCLUSIVE, 0, 4)));
  }

  @Test
  void shouldSplitARangeThatIsUnlockedInTheMiddleAndJoinItAgain() {
    assertLocks(1, range(1, FileLock.EXCLUSIVE, 0, 99), Errno.OK);
    assertLocks(1, range(1, FileLock.NONE, 40, 59), Errno.OK);
    assertEquals(2, table.heldCount());
    assertLocks(1, range(2, FileLock.EXCLUSIVE, 40, 59), Errno.OK);
    assertLocks(1, range(2, FileLock.EXCLUSIVE, 39, 39), Errno.EAGAIN);
    assertLocks(1, range(2, FileLock.NONE, 0, 99), Errno.OK);
    assertLocks(1, range(1, FileLock.EXCLUSIVE, 40, 59), Errno.OK);
    assertEquals(1, table.heldCount(), "three that touch are one");
  }

  @Test
  void shouldGiveWhoWaitsWhatBecomesFree() {
    assertLocks(1, range(1, FileLock.EXCLUSIVE, 0, 9), Errno.OK);
    assertEquals(Errno.EINPROGRESS, table.lock(2, FILE, range(1, FileLock.SHARED, 0, 4), 51));
    assertEquals(Errno.EINPROGRESS, table.lock(3, FILE, range(1, FileLock.EXCLUSIVE, 5, 9), 52));
    assertEquals(Errno.EINPROGRESS, table.lock(3, FILE, range(2, FileLock.EXCLUSIVE, 0, 0), 53));
    assertLocks(1, range(1, FileLock.NONE, 0, 9), Errno.OK);
    assertEquals(List.of("2 has 51", "3 has 52"), told);
    table.endSession(2);
    assertEquals("3 has 53", told.getLast());
    assertEquals(0, table.waitingCount());
  }

  @Test
  void shouldForgetWhoWaitsNoMore() {
    assertLocks(1, range(1, FileLock.EXCLUSIVE, 0, 9), Errno.OK);
    assertEquals(Errno.EINPROGRESS, table.lock(2, FILE, range(1, FileLock.SHARED, 0, 4), 51));
    assertFalse(table.cancel(1, 51), "the ticket of another session");
    assertTrue(table.cancel(2, 51));
    assertFalse(table.cancel(2, 51));
    table.endSession(1);
    assertEquals(List.of(), told);
    assertEquals(0, table.heldCount() + table.waitingCount());
  }

  @Test
  void shouldSeeThatWaitingWouldNeverEndOverSeveralOwners() {
    for (int i = 0; i < 3; i++) {
      assertLocks(i + 1, range(9, FileLock.EXCLUSIVE, i, i), Errno.OK);
    }
    assertEquals(Errno.EINPROGRESS, table.lock(1, FILE, range(9, FileLock.EXCLUSIVE, 1, 1), 1));
    assertEquals(Errno.EINPROGRESS, table.lock(2, FILE, range(9, FileLock.SHARED, 2, 2), 2));
    assertEquals(Errno.EDEADLK, table.lock(3, FILE, range(9, FileLock.EXCLUSIVE, 0, 0), 3));
    assertEquals(Errno.OK, table.lock(3, FILE + 1, range(9, FileLock.EXCLUSIVE, 0, 0), 3), "of another file");
  }

  @Test
  void shouldLetTwoReadersBecomeWritersOfAWholeFileOneAfterTheOther() {
    assertLocks(1, whole(FileLock.FLOCK, 1, FileLock.SHARED), Errno.OK);
    assertLocks(2, whole(FileLock.FLOCK, 1, FileLock.SHARED), Errno.OK);
    assertEquals(Errno.EINPROGRESS, table.lock(1, FILE, whole(FileLock.FLOCK, 1, FileLock.EXCLUSIVE), 11));
    assertLocks(2, whole(FileLock.FLOCK, 1, FileLock.EXCLUSIVE), Errno.OK);
    assertEquals(List.of(), told);
    assertLocks(2, whole(FileLock.FLOCK, 1, FileLock.NONE), Errno.OK);
    assertEquals(List.of("1 has 11"), told);
  }

  @Test
  void shouldAskWhoAppendsForTheFile() {
    assertLocks(1, whole(FileLock.APPEND, 0, FileLock.EXCLUSIVE), Errno.OK);
    assertLocks(1, whole(FileLock.FLOCK, 0, FileLock.EXCLUSIVE), Errno.OK);
    assertEquals(Errno.EINPROGRESS, table.lock(2, FILE, whole(FileLock.APPEND, 0, FileLock.EXCLUSIVE), 5));
    assertEquals(Errno.EINPROGRESS, table.lock(3, FILE, whole(FileLock.APPEND, 0, FileLock.EXCLUSIVE), 5));
    assertLocks(1, whole(FileLock.APPEND, 0, FileLock.NONE), Errno.OK);
    assertEquals(List.of("1 is asked for 7", "1 is asked for 7", "2 has 5", "2 is asked for 7"), told);
  }

  @Test
  void shouldBoundWhatOneSessionMayHave() {
    for (int i = 0; i < MAX; i++) {
      assertLocks(1, range(1, FileLock.SHARED, 2L * i, 2L * i), Errno.OK);
    }
    assertLocks(1, range(1, FileLock.SHARED, 1000, 1000), Errno.ENOLCK);
    assertLocks(2, range(1, FileLock.SHARED, 1000, 1000), Errno.OK);
    assertLocks(1, range(1, FileLock.NONE, 0, 5), Errno.OK);
    assertLocks(1, range(1, FileLock.SHARED, 1000, 1000), Errno.OK);
  }

  /** Every byte by itself, as a model. */
  @Test
  void shouldHoldWhatAModelOfBytesHolds() {
    Random random = new Random(20261125);
    Map<Integer, Map<Long, Integer>> model = new HashMap<>();
    for (int step = 0; step < 20_000; step++) {
      long session = 1 + random.nextInt(4);
      int start = random.nextInt(20);
      int end = start + random.nextInt(20 - start);
      int type = random.nextInt(3);
      boolean isFree = true;
      for (int at = start; at <= end; at++) {
        isFree &= model.getOrDefault(at, Map.of()).entrySet().stream()
            .noneMatch(one -> one.getKey() != session && type != FileLock.NONE && (type == FileLock.EXCLUSIVE || one.getValue() == FileLock.EXCLUSIVE));
      }
      int lastStep = step;
      assertEquals(isFree ? Errno.OK : Errno.EAGAIN, table.lock(session, FILE, range(0, type, start, end), 0), () -> "step " + lastStep);
      for (int at = start; isFree && at <= end; at++) {
        Map<Long, Integer> holders = model.computeIfAbsent(at, _ -> new HashMap<>());
        if (type == FileLock.NONE) {
          holders.remove(session);
        } else {
          holders.put(session, type);
        }
      }
    }
    int[] bytes = {0};
    table.forEach((session, lock) -> {
      for (long at = lock.start(); at <= lock.end(); at++) {
        assertEquals(lock.type(), model.get((int) at).get(session));
        bytes[0]++;
      }
    });
    assertEquals(model.values().stream().mapToInt(Map::size).sum(), bytes[0]);
  }

  @Test
  void shouldGiveNothingNewBeforeThoseOfTheManagerBeforeHaveClaimedTheirs() {
    table.beginGrace();
    assertEquals(Errno.EINPROGRESS, table.lock(3, FILE, range(1, FileLock.SHARED, 50, 59), 8), "nobody has it, but may claim it");
    assertLocks(3, range(1, FileLock.EXCLUSIVE, 0, 9), Errno.EAGAIN);
    assertTrue(table.claim(1, FILE, range(1, FileLock.EXCLUSIVE, 0, 9)));
    assertLocks(1, range(1, FileLock.EXCLUSIVE, 2, 3), Errno.OK);
    assertFalse(table.claim(2, FILE, range(1, FileLock.SHARED, 5, 5)), "it cannot have been its own");
    assertLocks(1, range(1, FileLock.NONE, 0, 9), Errno.OK);
    assertEquals(List.of(), told);
    table.endGrace();
    assertEquals(List.of("3 has 8"), told);
    assertLocks(3, range(1, FileLock.EXCLUSIVE, 0, 9), Errno.OK);
  }
}
