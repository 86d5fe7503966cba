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

  /** All ranks throw if one has failed. Collective. */
  void agree(Ranks ranks, String what) throws PvfsException {
    agree(ranks, what, 0);
  }

  /** The same; the numbers of all ranks, where all have been successful. */
  long[][] agree(Ranks ranks, String what, long first, long second, long third) throws PvfsException {
    return agree(ranks, what, new long[] {first, second, third});
  }

  /** The same for one number. */
  long[] agree(Ranks ranks, String what, long number) throws PvfsException {
    return Stream.of(agree(ranks, what, new long[] {number})).mapToLong(each -> each[0]).toArray();
  }

  private long[][] agree(Ranks ranks, String what, long[] numbers) throws PvfsException {
    long[] own = new long[numbers.length + 1];
    own[0] = errno;
    System.arraycopy(numbers, 0, own, 1, numbers.length);
    long[][] all = Numbers.gather(ranks, own);
    if (wrong != null) {
      throw wrong;
    }
    int any = isGood() ? (int) Stream.of(all).mapToLong(each -> each[0]).filter(each -> each != Errno.OK).findFirst().orElse(Errno.OK) : errno;
    if (any != Errno.OK) {
      throw new PvfsException(any, what + (isGood() ? " at another rank" : ""));
    }
    return Stream.of(all).map(each -> java.util.Arrays.copyOfRange(each, 1, each.length)).toArray(long[][]::new);
  }
}
