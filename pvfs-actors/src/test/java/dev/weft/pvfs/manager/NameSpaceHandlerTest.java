package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NameSpaceHandlerTest {
  private static final Caller ROOT = new Caller(0, 0, List.of());

  /** Daemons that do nothing. */
  private static final class NoEffects implements Effects {
    @Override
    public boolean begin(Intent intent, Listener listener) {
      return true;
    }

    @Override
    public void close() {}
  }

  private final MemoryDisk disk = new MemoryDisk("disk");
  private final NameSpaceHandler handler = new NameSpaceHandler(disk.open(), List.of("1 pvfs"), StripingWish.NONE, () -> 1, new NoEffects());

  private int make(int number) {
    return handler.handle(MetaRequest.of(MetaOp.MKNOD, ROOT, Inode.ROOT, FileType.FIFO.modeBits() | 0644).named("f" + number), 1).errno();
  }

  /** Its first operations were answered OK, in replies that wait for the commit. */
  @Test
  void shouldSayThatABatchIsLostIfTheFirstPartOfItCouldNotBeWritten() {
    assertTrue(handler.commit());
    disk.failAfter(0);
    for (int number = 0; number < Transaction.CHANGES_MAX; number++) {
      assertEquals(Errno.OK, make(number));
    }
    assertFalse(handler.commit());
    assertEquals(Errno.ENOENT, handler.handle(MetaRequest.of(MetaOp.LOOKUP, ROOT, Inode.ROOT).named("f0"), 1).errno());
    assertEquals(Errno.OK, make(0));
    assertTrue(handler.commit());
  }
}
