package dev.weft.pvfs.mpiio;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.InterruptedCallException;
import dev.weft.pvfs.files.PvfsException;
import java.util.stream.Stream;

/**
 * The outcome of one rank's part of a collective call. After an error, the rank goes on to the next agreement, so that no rank waits for it. There
 * all ranks throw: this rank its own exception, the others a {@link PvfsException}.
 */
final class Attempt {
  /** The outcome of a rank that had nothing to do. */
  static final Attempt NOTHING = new Attempt(Errno.OK, null);

  interface Action {
    void run() throws PvfsException;
  }

  final int errno;
  /** The exception if the caller made a mistake, otherwise null. */
  private final RuntimeException wrong;

  private Attempt(int errno, RuntimeException wrong) {
    this.errno = errno;
    this.wrong = wrong;
  }

  static Attempt of(Action action) {
    try {
      action.run();
      return NOTHING;
    } catch (PvfsException failed) {
      return new Attempt(failed.errno(), null);
    } catch (InterruptedCallException interrupted) {
      return new Attempt(Errno.EINTR, interrupted);
    } catch (RuntimeException wrong) {
      return new Attempt(Errno.EINVAL, wrong);
    } catch (OutOfMemoryError noRoom) {
      return new Attempt(Errno.ENOMEM, null);
    }
  }

  boolean isGood() {
    return errno == Errno.OK;
  }

  /** Returns the first failed outcome of the two, or the second. */
  Attempt and(Attempt next) {
    return isGood() ? next : this;
  }

  /** Throws at all ranks if one has failed. Collective; not the first agreement of a call. */
  void agree(Ranks ranks, String what) throws PvfsException {
    agree(ranks, Collective.WITHIN, what);
  }

  /** Throws at all ranks if one has failed; returns one number of each rank. */
  long[] agree(Ranks ranks, String what, long number) throws PvfsException {
    return agree(ranks, Collective.WITHIN, what, number);
  }

  /** Throws at all ranks if one has failed, as the first agreement of a call. */
  void agree(Ranks ranks, Collective call, String what) throws PvfsException {
    agree(ranks, call, what, 0);
  }

  /** Throws at all ranks if one has failed, as the first agreement of a call; returns one number of each rank. */
  long[] agree(Ranks ranks, Collective call, String what, long number) throws PvfsException {
    return Stream.of(agree(ranks, call, what, number, 0, 0)).mapToLong(each -> each[0]).toArray();
  }

  /**
   * Throws at all ranks if one has failed; returns three numbers of each rank. Every agreement sends messages of one length, so ranks detect
   * different calls.
   *
   * @throws IllegalStateException at all ranks, if they do not make the same call
   */
  long[][] agree(Ranks ranks, Collective call, String what, long first, long second, long third) throws PvfsException {
    long[][] all = Numbers.gather(ranks, errno, call.ordinal(), first, second, third);
    Collective.requireSame(Stream.of(all).mapToLong(each -> each[1]).toArray());
    if (wrong != null) {
      throw wrong;
    }
    int any = isGood() ? (int) Stream.of(all).mapToLong(each -> each[0]).filter(each -> each != Errno.OK).findFirst().orElse(Errno.OK) : errno;
    if (any != Errno.OK) {
      throw new PvfsException(any, what + (isGood() ? " at another rank" : ""));
    }
    return Stream.of(all).map(each -> java.util.Arrays.copyOfRange(each, 2, each.length)).toArray(long[][]::new);
  }
}
