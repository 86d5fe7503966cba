package dev.weft.lab.trials.dsm.check;

/**
 * One operation on one word of 8 bytes, as its thread saw it.
 *
 * @param thread number of the thread, 0 or more; an operation of a thread ends before its next one begins
 * @param word number of the word, 0 or more, for example its index in an array
 * @param kind kind of the operation
 * @param expected value that a compare-and-set expected, 0 for others
 * @param argument value that a write or a compare-and-set writes, or that is added; 0 for a read
 * @param result value that a read returned, or the value before an addition; 1 if a compare-and-set wrote and 0 if not; 0 for a write, and for an
 *     operation that never returned
 * @param invokedAt start, in ticks of a clock that all threads share, 0 or more
 * @param returnedAt end, or {@link #NEVER}: such an operation may have taken effect, then or later, or not at all
 */
public record Operation(int thread, long word, Kind kind, long expected, long argument, long result, long invokedAt, long returnedAt) {
  /** Return time of an operation that never ended. */
  public static final long NEVER = -1;

  /** What an operation does. */
  public enum Kind {
    /** Reads the word. */
    READ,
    /** Writes the word. */
    WRITE,
    /** Adds to the word and returns the value before. */
    ADD,
    /** Writes the word if it has the expected value. */
    CAS
  }

  /** Checks recorded operations and those read from a file by the same rules; messages say what is required. */
  public Operation {
    require(thread >= 0, "thread", thread);
    require(word >= 0, "word", word);
    require(invokedAt >= 0, "time of the invocation", invokedAt);
    if (returnedAt != NEVER && returnedAt < invokedAt) {
      throw new IllegalArgumentException("returned at " + returnedAt + ", before its invocation at " + invokedAt + "; must be later, or -1");
    }
  }

  private static void require(boolean good, String what, long value) {
    if (!good) {
      throw new IllegalArgumentException(what + " " + value + ", must be 0 or more");
    }
  }

  /** A read that saw {@code result}. */
  public static Operation read(int thread, long word, long result, long invokedAt, long returnedAt) {
    return new Operation(thread, word, Kind.READ, 0, 0, result, invokedAt, returnedAt);
  }

  /** A write of {@code value}. */
  public static Operation write(int thread, long word, long value, long invokedAt, long returnedAt) {
    return new Operation(thread, word, Kind.WRITE, 0, value, 0, invokedAt, returnedAt);
  }

  /** An addition of {@code delta} to the value {@code before}. */
  public static Operation add(int thread, long word, long delta, long before, long invokedAt, long returnedAt) {
    return new Operation(thread, word, Kind.ADD, 0, delta, before, invokedAt, returnedAt);
  }

  /** A compare-and-set, and whether it wrote. */
  public static Operation cas(int thread, long word, long expected, long value, boolean did, long invokedAt, long returnedAt) {
    return new Operation(thread, word, Kind.CAS, expected, value, did ? 1 : 0, invokedAt, returnedAt);
  }

  /** Whether it ended. */
  public boolean returned() {
    return returnedAt != NEVER;
  }

  /** Whether it may take effect while the word is {@code value}, with the result that its thread saw, if it saw one. */
  boolean possible(long value) {
    return switch (kind) {
      case READ -> !returned() || result == value;
      case WRITE -> true;
      case ADD -> !returned() || result == value;
      // A compare-and-set that never returned and fails changes nothing, so it need not be placed.
      case CAS -> returned() && result == 0 ? value != expected : value == expected;
    };
  }

  /** The value of the word after it, if it was {@code value} before. */
  long after(long value) {
    return switch (kind) {
      case READ -> value;
      case WRITE -> argument;
      case ADD -> value + argument;
      case CAS -> value == expected ? argument : value;
    };
  }

  /** Whether it leaves the word unchanged wherever it is possible; then the first place where it fits is as good as any. */
  boolean pure() {
    return switch (kind) {
      case READ -> true;
      case WRITE -> false;
      case ADD -> argument == 0;
      case CAS -> returned() && result == 0 || expected == argument;
    };
  }

  /** Text for users: {@code thread 2 read 7 [110, 130]}. */
  @Override
  public String toString() {
    String seen = returned() ? "" + result : "?";
    String what = switch (kind) {
      case READ -> "read " + seen;
      case WRITE -> "wrote " + argument;
      case ADD -> "added " + argument + " to " + seen;
      case CAS -> "compare-and-set " + expected + " to " + argument + " " + (returned() ? "" + (result == 1) : "?");
    };
    return "thread " + thread + " " + what + " [" + invokedAt + ", " + (returned() ? returnedAt : "never") + "]";
  }
}
