package dev.weft.pvfs.mount;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.fuse.FuseReply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BusyFilesTest {
  private static final class Reply implements FuseReply {
    private final boolean hasRoom;
    private final List<Runnable> later = new ArrayList<>();
    private final List<Integer> failures = new ArrayList<>();

    private Reply(boolean hasRoom) {
      this.hasRoom = hasRoom;
    }

    @Override
    public int uid() {
      return 0;
    }

    @Override
    public int gid() {
      return 0;
    }

    @Override
    public int pid() {
      return 0;
    }

    @Override
    public void fail(int errno) {
      failures.add(errno);
    }

    @Override
    public void onInterrupt(Runnable action) {}

    @Override
    public boolean runLater(Runnable task) {
      return hasRoom && later.add(task);
    }
  }

  private int attempts;

  /** Busy for so many attempts. */
  private int busy(int count, int then) {
    return attempts++ < count ? Errno.EBUSY : then;
  }

  @Test
  void shouldTryAgainOnAnotherThreadWhileTheFileIsBusy() {
    Reply reply = new Reply(true);
    BusyFiles.answer(reply, () -> busy(3, Errno.OK));
    assertEquals(1, attempts, "the thread that reads requests goes on");
    assertEquals(1, reply.later.size());
    reply.later.getFirst().run();
    assertEquals(4, attempts);
    assertEquals(List.of(), reply.failures, "the attempt has answered");
  }

  @Test
  void shouldAnswerOtherErrorsAtOnce() {
    Reply reply = new Reply(true);
    BusyFiles.answer(reply, () -> busy(0, Errno.EACCES));
    assertEquals(List.of(Errno.EACCES), reply.failures);
    assertEquals(1, attempts);
    assertEquals(0, reply.later.size());
  }

  @Test
  void shouldSayThatItIsBusyAfterTheLastAttempt() {
    Reply reply = new Reply(true);
    BusyFiles.answer(reply, () -> busy(Integer.MAX_VALUE, Errno.OK), errno -> errno == Errno.EBUSY ? Errno.EIO : errno);
    reply.later.getFirst().run();
    assertEquals(List.of(Errno.EIO), reply.failures);
    assertEquals(100, attempts);
  }

  @Test
  void shouldSayThatItIsBusyWhereAsManyWaitAsMay() {
    Reply reply = new Reply(false);
    BusyFiles.answer(reply, () -> busy(1, Errno.OK));
    assertEquals(List.of(Errno.EBUSY), reply.failures);
    assertEquals(1, attempts);
  }
}
