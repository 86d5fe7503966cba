package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Draw;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.meta.LockClient;
import dev.weft.pvfs.wire.FileLock;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The locks of a program: record locks on pieces of a file, and flock(2) on whole files. */
final class LockSteps {
  private static final long PIECE_BYTES = 100;
  private static final int EXCLUSIVE = 1;
  private static final int OF_FILE = 2;
  private static final double SHARE = 0.4;
  private static final double CROWD_SHARE = 0.5;

  private final PvfsRun run;
  private final PvfsHost host;
  private final String owner;
  private final long number;

  LockSteps(PvfsRun run, PvfsHost host, String owner, long number) {
    this.run = run;
    this.host = host;
    this.owner = owner;
    this.number = number;
  }

  /** A request; {@link Step#directory} and {@link Step#other} of a lock are its first and last piece. */
  private record Wish(LockHistory.Place place, int from, int to, boolean isExclusive) {
    static Wish of(Step step, long inode) {
      boolean isOfFile = (step.flags() & OF_FILE) != 0;
      return new Wish(new LockHistory.Place(inode, isOfFile ? FileLock.FLOCK : FileLock.POSIX), isOfFile ? 0 : step.directory(),
          isOfFile ? LockHistory.PIECES - 1 : step.other(), (step.flags() & EXCLUSIVE) != 0);
    }

    FileLock lock(long owner, int type) {
      return new FileLock(place.kind(), owner, type, from * PIECE_BYTES, to == LockHistory.PIECES - 1 ? Long.MAX_VALUE : (to + 1) * PIECE_BYTES - 1, 1);
    }

    FileLock lock(long owner) {
      return lock(owner, isExclusive ? FileLock.EXCLUSIVE : FileLock.SHARED);
    }
  }

  private Wish asked(Step step, long inode) {
    Wish wish = Wish.of(step, inode);
    run.locks().asks(wish.place(), owner, wish.from(), wish.to(), wish.isExclusive());
    return wish;
  }

  /** Locks if that is possible without waiting. */
  void lock(Step step, long inode, Consumer<String> done) {
    Wish wish = asked(step, inode);
    long askedNs = run.nowNs();
    host.meta.locks().lock(inode, wish.lock(number), errno -> {
      if (!host.isDown) {
        ended(wish, errno, askedNs, false, done);
      }
    });
  }

  /** Waits for a lock, for at most {@link Step#offset}, for ever if that is 0. */
  void await(Step step, long inode, Consumer<String> done) {
    Wish wish = asked(step, inode);
    long askedNs = run.nowNs();
    boolean[] isOver = new boolean[1];
    LockClient.Waiting waiting = host.meta.locks().await(inode, wish.lock(number), errno -> {
      isOver[0] = true;
      if (!host.isDown) {
        ended(wish, errno, askedNs, true, done);
      }
    });
    if (step.offset() > 0) {
      int incarnation = host.incarnation;
      run.after(host, step.offset(), () -> {
        if (!isOver[0] && !host.isDown && host.incarnation == incarnation) {
          waiting.cancel(Errno.EINTR);
        }
      });
    }
  }

  void unlock(Step step, long inode, Consumer<String> done) {
    Wish wish = Wish.of(step, inode);
    run.locks().givesBack(wish.place(), owner, wish.from(), wish.to());
    host.meta.locks().lock(inode, wish.lock(number, FileLock.NONE), errno -> {
      if (!host.isDown) {
        run.errors().checkLock(owner + " unlocking file " + inode, errno, false, false);
        done.accept("unlock " + Errno.name(errno));
      }
    });
  }

  private void ended(Wish wish, int errno, long askedNs, boolean waits, Consumer<String> done) {
    if (errno == Errno.OK) {
      run.locks().granted(wish.place(), owner, wish.from(), wish.to(), wish.isExclusive(), askedNs);
      run.marks().add(waits ? PvfsMarks.LOCK_AWAITED : PvfsMarks.LOCKED);
    } else if (errno == Errno.ENOLCK) {
      run.locks().givesBack(wish.place(), owner, 0, LockHistory.PIECES - 1);
      run.marks().add(PvfsMarks.LOCK_LOST);
      if (!run.locks().mayHaveLost()) {
        run.violations().add(owner + " was told that it has lost a lock, though all managers have waited for its client");
      }
    } else if (errno == Errno.EIO || errno == Errno.ENOSPC) {
      run.locks().gone(host.name); // The client could not record that it has locks.
    } else if (errno == Errno.EDEADLK) {
      run.marks().add(PvfsMarks.DEADLOCK);
    } else if (errno == Errno.EAGAIN) {
      run.marks().add(PvfsMarks.LOCK_REFUSED);
    }
    run.errors().checkLock(owner + " locking " + wish, errno, true, waits);
    done.accept((waits ? "lock awaited " : "lock ") + Errno.name(errno));
  }

  // Draws.

  /** Whether programs lock files. */
  static boolean draw(Draw draw) {
    return draw.chance(SHARE);
  }

  /** Adds locks around the steps of a program; at the end it unlocks everything. */
  static List<Step> around(List<Step> steps, Draw draw, int files) {
    List<Step> all = new ArrayList<>();
    Set<List<Integer>> locked = new LinkedHashSet<>();
    for (Step step : steps) {
      int die = draw.between(0, 99);
      if (die < 35) {
        Step lock = lock(draw.split(), files);
        locked.add(List.of(lock.file(), lock.flags() & OF_FILE));
        all.add(lock);
      } else if (die < 55 && !locked.isEmpty()) {
        List<Integer> which = List.copyOf(locked).get(draw.between(0, locked.size() - 1));
        all.add(unlock(which, draw.chance(0.5) ? draw.between(0, LockHistory.PIECES - 1) : 0, draw.split()));
      }
      all.add(step);
    }
    locked.forEach(which -> all.add(unlock(which, 0, draw.split())));
    return all;
  }

  /** Whether all programs want the same lock, and wait for it without limit. */
  static boolean drawCrowd(Draw draw) {
    return draw.chance(CROWD_SHARE);
  }

  /**
   * Adds one lock of one file around most of a program's steps, which holds it for a while; only the holder unlocks there.
   *
   * @param isFirst whether it should get the lock before others
   */
  static List<Step> inCrowd(List<Step> steps, Draw draw, boolean isFirst) {
    List<Step> all = new ArrayList<>(steps);
    int at = isFirst ? 0 : draw.between(0, Math.min(2, steps.size() - 1));
    long thinkNs = (long) (isFirst ? draw.logarithmic(1, 2_000) : draw.logarithmic(20_000, 500_000));
    all.set(at, steps.get(at).after((long) draw.logarithmic(2_000_000, 50_000_000)));
    all.add(at, new Step(OpKind.LOCK_WAIT, 0, 0, 0, 0, 0, "", 0, "", draw.chance(0.8) ? EXCLUSIVE : 0, thinkNs));
    all.add(unlock(List.of(0, 0), 0, draw.split()));
    return all;
  }

  private static Step lock(Draw draw, int files) {
    boolean isOfFile = draw.chance(0.3);
    boolean waits = draw.chance(0.5);
    boolean isLimited = isOfFile || draw.chance(0.3); // Only a wait for record locks is allowed to be for ever.
    int from = draw.between(0, LockHistory.PIECES - 1);
    int to = draw.between(from, draw.chance(0.5) ? from : LockHistory.PIECES - 1);
    long limitNs = waits && isLimited ? (long) draw.logarithmic(1_000, 500_000_000) : 0;
    return new Step(waits ? OpKind.LOCK_WAIT : OpKind.LOCK, draw.between(0, files - 1), limitNs, 0, 0, from, "", to, "",
        (draw.chance(0.6) ? EXCLUSIVE : 0) | (isOfFile ? OF_FILE : 0), (long) draw.logarithmic(1, 200_000));
  }

  private static Step unlock(List<Integer> which, int from, Draw draw) {
    int to = from == 0 ? LockHistory.PIECES - 1 : draw.between(from, LockHistory.PIECES - 1);
    return new Step(OpKind.UNLOCK, which.get(0), 0, 0, 0, from, "", to, "", which.get(1), (long) draw.logarithmic(1, 200_000));
  }
}
