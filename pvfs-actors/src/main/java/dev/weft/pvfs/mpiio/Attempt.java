package dev.weft.pvfs.mpiio;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.InterruptedCallException;
import dev.weft.pvfs.files.PvfsException;
import java.util.stream.Stream;

/**
 * What one rank's part of a collective call has come to. Whatever went wrong, the rank goes on to where ranks agree, so that none waits for it; there all of
 * them throw: this one what happened here, the others a {@link PvfsException}.
 */
final class Attempt {
  /** A rank that had nothing to do. */
  static final Attempt NOTHING = new Attempt(Errno.OK, null);

  interface Action {
    void run() throws PvfsException;
  }

  final int errno;
  /** If the caller was wrong; null otherwise. */
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

  /** The first one that failed. */
  Attempt and(Attempt next) {
    return isGood() ? next : this;
  }

  /** All ranks throw if one has failed. Collective; not the first agreement of a call. */
  void agree(Ranks ranks, String what) throws PvfsException {
    agree(ranks, Collective.WITHIN, what);
  }

  /** The same for one number. */
  long[] agree(Ranks ranks, String what, long number) throws PvfsException {
    return agree(ranks, Collective.WITHIN, what, number);
  }

  /** The same as the first agreement of a call. */
  void agree(Ranks ranks, Collective call, String what) throws PvfsException {
    agree(ranks, call, what, 0);
  }

  /** The same for one number. */
  long[] agree(Ranks ranks, Collective call, String what, long number) throws PvfsException {
    return Stream.of(agree(ranks, call, what, number, 0, 0)).mapToLong(each -> each[0]).toArray();
  }

  /**
   * The same; the numbers of all ranks, where all have been successful.
   *
   * @throws IllegalStateException at all ranks, if they do not make the same call: so what they tell each other has one length, whatever call it is
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
