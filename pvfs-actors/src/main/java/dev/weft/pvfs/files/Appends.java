package dev.weft.pvfs.files;

import dev.weft.hca.node.Interrupts;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.Fence;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.meta.EventListener;
import dev.weft.pvfs.meta.MetaClient;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaEvent;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Appends of one client. Each append takes the file's append lock at the manager, asks the daemons for the end of the file, and writes there, so the
 * appends of all clients come one after the other. A client that has a file open to append keeps the lock until another client wants it. Any thread.
 */
public final class Appends {
  /** Stands for an unknown end of a file. */
  public static final long UNKNOWN = -1;
  /** How long a client waits for the lock: longer than the manager keeps a client that does not come back. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  /** If the manager has heard of this client within this time, the lock is surely still held: less than the manager keeps it. */
  private static final long SURE_NS = 10_000_000_000L;

  private static final class Place {
    final ReentrantLock turn = new ReentrantLock();
    int users;
    /** Threads in {@link #append}. */
    int callers;
    volatile boolean isHeld;
    volatile boolean isWanted;
    /** When this client asked for the lock. */
    volatile long askedNs;
  }

  private final MetaClient meta;
  private final DataClient data;
  private final Map<Long, Place> places = new ConcurrentHashMap<>();
  private boolean isListening;

  /** For a program without a {@link PvfsFileSystem}: appends by these two clients, both of one node. Make at most one for each {@code meta}. */
  public Appends(MetaClient meta, DataClient data) {
    this.meta = meta;
    this.data = data;
  }

  private synchronized void listen() {
    if (!isListening) {
      isListening = true;
      meta.events().listen(new EventListener() {
        @Override
        public void onEvent(MetaEvent event) {
          Place place = event.kind() == MetaEvent.Kind.WANTED ? places.get(event.subject()) : null;
          if (place != null) {
            place.isWanted = true;
          }
        }

        @Override
        public void afterEvent(MetaEvent event) {
          if (event.kind() == MetaEvent.Kind.WANTED) {
            giveBack(event.subject());
          }
        }

        @Override
        public void onLockLost(long inode, FileLock lock) {
          Place place = lock.kind() == FileLock.APPEND ? places.get(inode) : null;
          if (place != null) {
            place.isHeld = false;
          }
        }
      });
    }
  }

  /** Gives the lock back: at once if nothing here believes that it has the lock, otherwise when the append under way has ended. */
  private void giveBack(long inode) {
    Place place = places.compute(inode, (_, of) -> {
      if (of == null) {
        unlock(inode); // This client has the lock without knowing; unlock before another thread asks for it anew.
      } else {
        of.isWanted = true;
      }
      return of;
    });
    if (place != null && place.turn.tryLock()) {
      end(inode, place); // Otherwise the thread that has the turn does it.
    }
  }

  /** Counts one more user that has the file open to append. */
  public void opened(long inode) {
    places.compute(inode, (_, before) -> {
      Place place = before == null ? new Place() : before;
      place.users++;
      return place;
    });
  }

  /** Counts one user less, after an {@link #opened}. */
  public void closed(long inode) {
    Place place = places.computeIfPresent(inode, (_, of) -> {
      of.users--;
      return of;
    });
    if (place != null && place.turn.tryLock()) {
      end(inode, place);
    }
  }

  /**
   * Writes behind the end of the file, wherever that is. An interrupt does not end an append that has begun, so no other client gets the lock before
   * its end.
   *
   * @return the offset of the data, or a negative errno: EINTR if the thread was interrupted while it waited for its turn, and nothing is written
   */
  public long append(long inode, Striping striping, MemorySegment from) {
    return append(inode, striping, from, () -> UNKNOWN, _ -> { });
  }

  /**
   * Appends as {@link #append(long, Striping, MemorySegment)}.
   *
   * @param knownEnd returns the end of the file, or {@link #UNKNOWN} if daemons must be asked; called with the lock held
   * @param wroteNs gets the time of the write, if a write was made
   */
  public long append(long inode, Striping striping, MemorySegment from, LongSupplier knownEnd, LongConsumer wroteNs) {
    listen();
    Place place = places.compute(inode, (_, before) -> {
      Place of = before == null ? new Place() : before;
      of.callers++; // Keeps the place alive: with two places of one file both would believe to have the lock.
      return of;
    });
    boolean hasTurn = hasTurn(place);
    try {
      int errno = hasTurn ? hold(inode, place) : Errno.EINTR;
      return errno == Errno.OK ? Interrupts.putAside(() -> write(place, inode, striping, from, knownEnd.getAsLong(), wroteNs)) : -errno;
    } finally {
      places.computeIfPresent(inode, (_, of) -> {
        of.callers--;
        return of;
      });
      if (hasTurn || place.turn.tryLock()) {
        end(inode, place);
      }
    }
  }

  /** Returns false if the thread was interrupted before its turn came. */
  private static boolean hasTurn(Place place) {
    try {
      place.turn.lockInterruptibly();
      return true;
    } catch (InterruptedException before) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private int hold(long inode, Place place) {
    if (place.isHeld && meta.events().isHeardWithin(SURE_NS)) {
      return Errno.OK;
    }
    place.isWanted = false;
    place.askedNs = meta.events().nowNs();
    int errno = meta.locks().await(inode, FileLock.whole(FileLock.APPEND, 0, FileLock.EXCLUSIVE, 0), PATIENCE, () -> giveBack(inode));
    place.isHeld = errno == Errno.OK;
    return errno;
  }

  /** Whether this client still holds the lock. A client that was cut off or paused may have lost it to another client, which has appended since. */
  private Fence.State fence(Place place) {
    return !place.isHeld ? Fence.State.SHUT : meta.events().isSince(place.askedNs, SURE_NS) ? Fence.State.OPEN : Fence.State.UNSURE;
  }

  private long write(Place place, long inode, Striping striping, MemorySegment from, long knownEnd, LongConsumer wroteNs) {
    long end = knownEnd;
    if (end == UNKNOWN) {
      IoTask stat = data.stat(inode, striping);
      if (stat.errno() != Errno.OK) {
        return -stat.errno();
      }
      end = stat.fileBytes();
    }
    if (end > Striping.FILE_BYTES_MAX - from.byteSize()) {
      return -Errno.EFBIG;
    }
    IoTask write = data.write(inode, striping, end, from, () -> fence(place));
    wroteNs.accept(write.wroteNs());
    return write.errno() == Errno.OK ? end : -write.errno();
  }

  /** Ends a turn. Another client may want the lock between the check and the unlock and fail to get the turn; so this checks again. */
  private void end(long inode, Place place) {
    do {
      if ((place.isHeld || place.isWanted) && isToBeGiven(inode, place)) { // A client that is asked for the lock may have it without having heard so.
        place.isHeld = false;
        place.isWanted = false;
        unlock(inode);
      }
      if (!place.isHeld && place.turn.getHoldCount() == 1) {
        places.computeIfPresent(inode, (_, of) -> of == place && of.users == 0 && of.callers == 0 && !of.isWanted ? null : of);
      }
      place.turn.unlock();
    } while ((place.isHeld || place.isWanted) && isToBeGiven(inode, place) && place.turn.tryLock());
  }

  private void unlock(long inode) {
    meta.locks().unlock(inode, FileLock.whole(FileLock.APPEND, 0, FileLock.NONE, 0), _ -> { });
  }

  /** Whether to unlock. Never if another place has replaced this one: the lock at the manager is then that place's. */
  private boolean isToBeGiven(long inode, Place place) {
    boolean[] is = new boolean[1];
    places.computeIfPresent(inode, (_, of) -> {
      is[0] = of == place && (of.isWanted || of.users == 0);
      return of;
    });
    return is[0];
  }

  /** Returns the number of files whose append lock this client holds. */
  public int heldCount() {
    return (int) places.values().stream().filter(place -> place.isHeld).count();
  }
}
