package dev.weft.lab.trials.dsm.check;

import dev.weft.dsm.SharedLongs;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Records the operations of one thread on shared arrays. Each thread has a recorder of its own; when all threads have ended, their operations are
 * added to one {@link History}. An operation that throws is recorded as one that never returned, and later operations of the thread get another
 * thread number.
 */
public final class Recorder {
  private final IntSupplier numbers;
  private final LongSupplier clock;
  private final List<Operation> operations = new ArrayList<>();
  private int thread;

  /**
   * A recorder for the calling thread.
   *
   * @param numbers returns a number that no thread has had before; all recorders of a history share it, so it must be safe for several threads
   * @param clock ticks, 0 or more, that never go back between threads; for example nanoseconds of one machine since the start
   */
  public Recorder(IntSupplier numbers, LongSupplier clock) {
    this.numbers = numbers;
    this.clock = clock;
    thread = numbers.getAsInt();
  }

  /** Adds the recorded operations to a history. Called by the thread itself, or after it has ended. */
  public void addTo(History history) {
    operations.forEach(history::add);
  }

  /**
   * A recording view of an array. Reads and writes of several elements are not supported, because each is an operation on many words at once.
   *
   * @param firstWord number of the word that is element 0 of the array
   */
  public SharedLongs record(SharedLongs array, long firstWord) {
    return new Recorded(array, firstWord);
  }

  /** Records an operation as one that never returned, before it begins. */
  private void begin(Operation.Kind kind, long word, long expected, long argument) {
    operations.add(new Operation(thread, word, kind, expected, argument, 0, clock.getAsLong(), Operation.NEVER));
  }

  private void end(long result) {
    long returnedAt = clock.getAsLong();
    Operation begun = operations.removeLast();
    operations.add(new Operation(thread, begun.word(), begun.kind(), begun.expected(), begun.argument(), result, begun.invokedAt(), returnedAt));
  }

  private RuntimeException failed(RuntimeException failure) {
    thread = numbers.getAsInt();
    return failure;
  }

  private final class Recorded implements SharedLongs {
    private final SharedLongs array;
    private final long firstWord;

    Recorded(SharedLongs array, long firstWord) {
      this.array = array;
      this.firstWord = firstWord;
    }

    @Override
    public long length() {
      return array.length();
    }

    @Override
    public long get(long index) {
      begin(Operation.Kind.READ, firstWord + index, 0, 0);
      try {
        long value = array.get(index);
        end(value);
        return value;
      } catch (RuntimeException e) {
        throw failed(e);
      }
    }

    @Override
    public void set(long index, long value) {
      begin(Operation.Kind.WRITE, firstWord + index, 0, value);
      try {
        array.set(index, value);
        end(0);
      } catch (RuntimeException e) {
        throw failed(e);
      }
    }

    @Override
    public long getAndAdd(long index, long delta) {
      begin(Operation.Kind.ADD, firstWord + index, 0, delta);
      try {
        long before = array.getAndAdd(index, delta);
        end(before);
        return before;
      } catch (RuntimeException e) {
        throw failed(e);
      }
    }

    @Override
    public boolean compareAndSet(long index, long expected, long value) {
      begin(Operation.Kind.CAS, firstWord + index, expected, value);
      try {
        boolean did = array.compareAndSet(index, expected, value);
        end(did ? 1 : 0);
        return did;
      } catch (RuntimeException e) {
        throw failed(e);
      }
    }

    @Override
    public void read(long index, long[] to, int at, int count) {
      throw new UnsupportedOperationException("reads of several elements are not recorded");
    }

    @Override
    public void write(long index, long[] from, int at, int count) {
      throw new UnsupportedOperationException("writes of several elements are not recorded");
    }

    @Override
    public void readInPlace(long index, long count, Consumer<? super MemorySegment> use) {
      throw new UnsupportedOperationException("reads of several elements are not recorded");
    }

    @Override
    public void writeInPlace(long index, long count, Consumer<? super MemorySegment> use) {
      throw new UnsupportedOperationException("writes of several elements are not recorded");
    }

    @Override
    public void prefetch(long index, long count) {
      array.prefetch(index, count);
    }

    @Override
    public void push(long index, long count) {
      array.push(index, count);
    }
  }
}
