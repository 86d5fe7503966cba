package dev.weft.pvfs.files;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.manager.ManagerSnapshot;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileLock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Locks of clients whose manager, with its metadata on a disk, is stopped and started again. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class ManagerRestartLocksTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String LONG_GRACE = "10 m";

  @TempDir private Path directory;
  private FileSystemCluster cluster;

  private void start(String grace) {
    cluster = new FileSystemCluster(1, "weft.pvfs.manager { grace = " + grace + ", store.reserve = 1 MiB, lease = 10 m }\nweft.pvfs.client.reconnect = 20 ms",
        directory.resolve("manager"));
  }

  /** Whatever was locked: when its holders have closed it, nothing is, and nobody waits. */
  @AfterEach
  void nothingIsLeft() {
    try {
      await(() -> cluster.managerState().locks() + cluster.managerState().lockWaiters() == 0, "nothing is locked: " + cluster.managerState());
    } finally {
      cluster.close();
    }
  }

  private static void await(BooleanSupplier condition, String what) {
    Waits.await(condition, () -> what);
  }

  private static PvfsFile open(PvfsFileSystem files) throws PvfsException {
    return files.open("/f", CREATE, READ, WRITE);
  }

  private static FileLock flock(long owner) {
    return FileLock.whole(FileLock.FLOCK, owner, FileLock.EXCLUSIVE, 0);
  }

  @Test
  void shouldKeepWhatTwoClientsHaveAndTheThirdWaiting() throws Exception {
    start(LONG_GRACE);
    PvfsFileSystem one = cluster.connect(Caller.ROOT);
    PvfsFile first = open(one);
    PvfsFileSystem two = cluster.connect(Caller.ROOT);
    PvfsFile second = open(two);
    PvfsFile third = open(cluster.connect(Caller.ROOT));
    PvfsLock range = first.tryLock(0, 10, false);
    PvfsLock shared = second.tryLock(20, 10, true);
    assertEquals(Errno.OK, two.meta().locks().lock(second.inode(), flock(1)));
    List<Integer> told = new CopyOnWriteArrayList<>();
    PvfsFileSystem waiter = cluster.connect(Caller.ROOT);
    waiter.meta().locks().await(first.inode(), flock(5), told::add);
    await(() -> cluster.managerState().lockWaiters() == 1, "one waits");
    cluster.restartManager();
    assertNull(third.tryLock(5, 10, false), "it is locked again before anybody else is answered");
    assertNotNull(third.tryLock(20, 5, true)).close();
    ManagerSnapshot state = cluster.managerState();
    assertEquals(3, state.locksClaimed(), state::toString);
    assertEquals(0, state.claimsRefused(), state::toString);
    assertFalse(state.awaitsClaims(), "all are back, long before the time of grace is over");
    await(() -> cluster.managerState().lockWaiters() == 1, "it waits again");
    assertEquals(List.of(), told);
    cluster.restartManager();
    assertEquals(Errno.OK, two.meta().locks().lock(second.inode(), flock(1).of(FileLock.NONE)));
    await(() -> !told.isEmpty(), "it gets it");
    assertEquals(List.of(Errno.OK), told);
    assertEquals(Errno.OK, waiter.meta().locks().lock(first.inode(), flock(5).of(FileLock.NONE)));
    range.close();
    shared.close();
    assertNotNull(third.tryLock(0, 100, false)).close();
    assertEquals(0, one.meta().locks().lostCount() + two.meta().locks().lostCount());
  }

  @Test
  void shouldKeepOthersWaitingForWhoDoesNotComeBackUntilTheTimeOfGraceIsOver() throws Exception {
    start("5 s");
    PvfsFile first = open(cluster.connect(Caller.ROOT));
    PvfsFileSystem other = cluster.connect(Caller.ROOT);
    PvfsFile file = open(other);
    PvfsLock range = first.tryLock(0, 10, false);
    open(cluster.connect(Caller.ROOT)).tryLock(20, 10, false);
    cluster.stopManager();
    cluster.loseLastClient();
    cluster.startManagerAgain();
    List<Integer> told = new CopyOnWriteArrayList<>();
    FileLock lost = new FileLock(FileLock.POSIX, 9, FileLock.EXCLUSIVE, 20, 29, 0);
    other.meta().locks().lock(file.inode(), lost, told::add);
    while (told.isEmpty()) {
      ManagerSnapshot state = cluster.managerState();
      assertTrue(told.isEmpty() || !cluster.managerState().awaitsClaims(), state::toString);
    }
    assertEquals(List.of(Errno.OK), told);
    assertNull(file.tryLock(0, 10, false), "who came back has it");
    range.close();
    assertEquals(Errno.OK, other.meta().locks().lock(file.inode(), lost.of(FileLock.NONE)));
  }

  @Test
  void shouldTellWhoComesBackTooLateThatItsLockIsLost() throws Exception {
    start("100 ms");
    Config slow = ConfigFactory.parseString("weft.pvfs.client.reconnect = 1500 ms").withFallback(cluster.fabric.config());
    PvfsFileSystem late = cluster.connect(Caller.ROOT, slow);
    PvfsFile first = open(late);
    PvfsFile other = open(cluster.connect(Caller.ROOT));
    PvfsLock range = first.tryLock(0, 10, false);
    cluster.restartManager();
    PvfsLock taken = assertNotNull(other.lock(0, 10, false, PATIENCE));
    await(() -> late.meta().locks().lostCount() == 1, "it is told");
    assertEquals(Errno.ENOLCK, assertThrows(PvfsException.class, range::close).errno());
    assertNull(first.tryLock(0, 10, false), "another one has it");
    taken.close();
    first.tryLock(0, 10, false).close();
    assertEquals(1, cluster.managerState().claimsRefused());
  }

  private static <T> T assertNotNull(T value) {
    org.junit.jupiter.api.Assertions.assertNotNull(value);
    return value;
  }

  @Test
  void shouldLetWhoAppendsGoOn() throws Exception {
    start(LONG_GRACE);
    PvfsFile one = cluster.connect(Caller.ROOT).open("/log", CREATE, APPEND);
    PvfsFile other = cluster.connect(Caller.ROOT).open("/log", CREATE, APPEND);
    MemorySegment line = Arena.ofAuto().allocate(100);
    assertEquals(0, one.append(line));
    cluster.restartManager();
    assertEquals(100, one.append(line));
    assertEquals(200, other.append(line));
    cluster.restartManager();
    assertEquals(300, one.append(line));
    assertEquals(400, other.append(line));
    one.close();
    other.close();
  }
}
