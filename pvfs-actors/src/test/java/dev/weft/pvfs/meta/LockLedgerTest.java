package dev.weft.pvfs.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaArguments;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LockLedgerTest {
  private static final long FILE = 7;

  private final LockLedger ledger = new LockLedger();
  private final List<String> told = new ArrayList<>();

  LockLedgerTest() {
    ledger.listen(new LockLedger.Listener() {
      @Override
      public void lost(long inode, FileLock lock) {
        told.add("lost " + lock.start() + "-" + lock.end());
      }

      @Override
      public void over(long ticket, int errno) {
        told.add(ticket + " ends with " + Errno.name(errno));
      }
    });
  }

  private static FileLock range(int type, long start, long end) {
    return new FileLock(FileLock.POSIX, 1, type, start, end, 0);
  }

  private static FileLock flock(int type) {
    return FileLock.whole(FileLock.FLOCK, 1, type, 0);
  }

  private static MetaRequest request(FileLock lock, long ticket) {
    return MetaRequest.of(MetaOp.LOCK, Caller.ROOT, FILE, ticket).withValue(lock.encode());
  }

  private void answered(FileLock lock, long ticket, int errno) {
    answered(request(lock, ticket), errno);
  }

  private void answered(MetaRequest request, int errno) {
    ledger.answered(request, MetaReply.failed(1, errno));
  }

  /** Each as it is said to the manager, without the one that says that this is all. */
  private List<String> claims() {
    return ledger.claims().stream().filter(request -> request.op() != MetaOp.CLAIMED).map(request -> {
      FileLock lock = FileLock.decode(request.value());
      MetaArguments.Lock asked = MetaArguments.Lock.of(request);
      return (asked.isClaim() ? "has " : "waits as " + asked.ticket() + " for ") + lock.type() + ": " + lock.start() + "-" + lock.end();
    }).toList();
  }

  @Test
  void shouldClaimTheRangesThatAreLeft() {
    answered(range(FileLock.EXCLUSIVE, 0, 99), 0, Errno.OK);
    answered(range(FileLock.NONE, 10, 19), 0, Errno.OK);
    answered(range(FileLock.EXCLUSIVE, 200, 299), 0, Errno.EAGAIN);
    assertEquals(List.of("has 1: 0-9", "has 1: 20-99"), claims());
    answered(range(FileLock.NONE, 0, Long.MAX_VALUE), 0, Errno.OK);
    assertEquals(List.of(), claims());
    assertEquals(0, ledger.heldCount());
  }

  @Test
  void shouldAskAgainForWhatWaitsUntilItIsGrantedCancelledOrRefused() {
    answered(range(FileLock.EXCLUSIVE, 0, 9), 5, Errno.EINPROGRESS);
    answered(range(FileLock.EXCLUSIVE, 20, 29), 6, Errno.EINPROGRESS);
    answered(range(FileLock.EXCLUSIVE, 40, 49), 7, Errno.EINPROGRESS);
    answered(MetaRequest.of(MetaOp.LOCK_CANCEL, Caller.ROOT, 0, 6), Errno.OK);
    ledger.granted(5);
    assertEquals(List.of("has 1: 0-9", "waits as 7 for 1: 40-49"), claims());
    answered(range(FileLock.EXCLUSIVE, 40, 49), 7, Errno.EDEADLK);
    assertEquals(List.of("7 ends with EDEADLK"), told);
    assertEquals(List.of("has 1: 0-9"), claims());
  }

  @Test
  void shouldKnowThatAnotherTypeOfFlockIsAnotherLock() {
    answered(flock(FileLock.SHARED), 0, Errno.OK);
    answered(flock(FileLock.EXCLUSIVE), 5, Errno.EINPROGRESS);
    assertEquals(List.of("waits as 5 for 1: 0-" + Long.MAX_VALUE), claims());
    ledger.granted(5);
    answered(flock(FileLock.SHARED), 0, Errno.EAGAIN);
    assertEquals(List.of(), claims());
  }

  @Test
  void shouldHaveWhatIsGrantedBeforeTheAnswerComesThatItWaits() {
    ledger.granted(5);
    answered(flock(FileLock.EXCLUSIVE), 5, Errno.EINPROGRESS);
    assertEquals(List.of("has 1: 0-" + Long.MAX_VALUE), claims());
  }

  @Test
  void shouldNotClaimWhatTheManagerBeforeMayHaveBeenGivenBack() {
    answered(range(FileLock.EXCLUSIVE, 0, 99), 0, Errno.OK);
    ledger.noteMaybeDone(request(range(FileLock.NONE, 0, 9), 0));
    ledger.noteMaybeDone(request(range(FileLock.SHARED, 90, 199), 0));
    assertEquals(List.of("has 1: 10-89", "has 0: 90-99"), claims());
    ledger.noteMaybeDone(request(range(FileLock.EXCLUSIVE, 0, 199), 0));
    assertEquals(List.of("has 1: 10-89", "has 0: 90-99"), claims(), "more than it has gives nothing up");
    answered(range(FileLock.NONE, 0, Long.MAX_VALUE), 0, Errno.OK);
    answered(flock(FileLock.SHARED), 0, Errno.OK);
    ledger.noteMaybeDone(request(flock(FileLock.EXCLUSIVE), 5));
    assertEquals(List.of(), claims(), "another type of flock(2) is another lock");
  }

  @Test
  void shouldTellOfWhatCannotBeClaimedOnce() {
    answered(range(FileLock.EXCLUSIVE, 0, 9), 0, Errno.OK);
    MetaRequest claim = ledger.claims().getFirst();
    answered(claim, Errno.ENOLCK);
    answered(claim, Errno.ENOLCK);
    assertEquals(List.of("lost 0-9"), told);
    assertEquals(List.of(), claims());
  }
}
