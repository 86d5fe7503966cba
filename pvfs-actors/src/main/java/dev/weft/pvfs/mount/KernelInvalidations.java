package dev.weft.pvfs.mount;

import dev.weft.pvfs.fuse.FuseNotifier;
import dev.weft.pvfs.meta.EventListener;
import dev.weft.pvfs.wire.MetaEvent;
import java.util.Collection;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Tells the kernel to drop attributes, names and content before the manager hears that they are dropped. To drop a name or content, the kernel may
 * wait for an operation that itself waits for other clients; so the manager waits for that only a moment. Any thread.
 */
final class KernelInvalidations implements EventListener {
  private static final long MOMENT_MS = 50;
  private static final int QUEUE_MAX = 4096;

  private final FuseNotifier notifier;
  private final boolean hasContent;
  private final MetadataCache cache;
  private final ThreadPoolExecutor thread = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(QUEUE_MAX),
      Thread.ofPlatform().daemon().name("pvfs-kernel-invalidations").factory());

  /**
   * Sends invalidations by {@code notifier}.
   *
   * @param hasContent whether the kernel also caches content of files
   */
  KernelInvalidations(FuseNotifier notifier, boolean hasContent, MetadataCache cache) {
    this.notifier = notifier;
    this.hasContent = hasContent;
    this.cache = cache;
    cache.keepGone();
  }

  @Override
  public void onEvent(MetaEvent event) {
    // Later: see afterEvent.
  }

  @Override
  public void afterEvent(MetaEvent event) {
    if (event.kind() != MetaEvent.Kind.CHANGED) {
      return; // The kernel's entries expire within a second.
    }
    long inode = event.subject();
    Collection<Name> of = cache.takeGone(inode);
    notifier.invalidateInode(inode, -1, 0);
    if (of != null || hasContent) {
      inAMoment(() -> forget(inode, of));
    }
  }

  private void forget(long inode, Collection<Name> of) {
    if (hasContent) {
      notifier.invalidateInode(inode, 0, 0);
    }
    if (of != null) {
      for (Name name : of) {
        notifier.invalidateEntry(inode, name.bytes());
      }
    }
  }

  private void inAMoment(Runnable action) {
    CountDownLatch done = new CountDownLatch(1);
    try {
      thread.execute(() -> {
        try {
          action.run();
        } finally {
          done.countDown();
        }
      });
      done.await(MOMENT_MS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException full) {
      // The kernel is far behind; its entries expire within a second.
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    }
  }

  void close() {
    thread.shutdownNow();
  }
}
