package dev.weft.pvfs.mpiio;

import dev.weft.hca.node.Interrupts;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.types.Regions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Collective access in two phases. Some ranks, the aggregators, each own a part of the range that all ranks access together. An aggregator moves its
 * part in long pieces, one window at a time; ranks and aggregators exchange the data. On the thread of each rank. An error at a rank's file does not
 * keep the others waiting: it is reported at the end.
 *
 * <p>For a window, an aggregator holds {@code cb_buffer_size} bytes of data, and 16 bytes for each piece that a rank has in it.
 */
final class TwoPhase {
  private final Ranks ranks;
  private final PvfsFile file;
  private final int aggregators;
  private final int windowBytes;
  private final MemorySegment buffer;
  private final boolean isWrite;
  private Attempt attempt = Attempt.NOTHING;

  /** @param buffer for a window, at an aggregator; of any size at other ranks */
  TwoPhase(Ranks ranks, PvfsFile file, int aggregators, MemorySegment buffer, int windowBytes, boolean isWrite) {
    this.ranks = ranks;
    this.file = file;
    this.aggregators = aggregators;
    this.buffer = buffer;
    this.windowBytes = windowBytes;
    this.isWrite = isWrite;
  }

  /** Returns the rank of an aggregator; aggregators are spread evenly over the ranks. */
  static int rankOf(int aggregator, int aggregators, int ranks) {
    return (int) ((long) aggregator * ranks / aggregators);
  }

  /** Returns the number of this rank as an aggregator, -1 if it is none. */
  private int ownNumber() {
    for (int i = 0; i < aggregators; i++) {
      if (rankOf(i, aggregators, ranks.size()) == ranks.rank()) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Moves the data of all ranks between two offsets.
   *
   * @return the outcome of this rank's file and memory operations
   */
  Attempt run(Access access, long begin, long end) {
    long stripe = file.striping().stripeBytes();
    long first = begin / stripe * stripe; // Parts begin at a stripe, so that no two aggregators share one.
    long part = roundUp((end - first + aggregators - 1) / aggregators, stripe);
    long rounds = (part + windowBytes - 1) / windowBytes;
    Cursor[] cursors = new Cursor[aggregators];
    for (int i = 0; i < aggregators; i++) {
      cursors[i] = new Cursor(access);
      cursors[i].next(Long.MIN_VALUE, beginOf(i, first, part, end)); // Skips the bytes before, which belong to other aggregators.
    }
    for (long round = 0; round < rounds; round++) {
      round(cursors, first, part, end, round * windowBytes);
    }
    return attempt;
  }

  /** Returns where the part of an aggregator begins. At most the end of the range, beyond which numbers may overflow. */
  private static long beginOf(int aggregator, long first, long part, long end) {
    return aggregator > (end - first) / part ? end : first + aggregator * part;
  }

  private void attempt(Attempt.Action action) {
    attempt = attempt.and(Attempt.of(action));
  }

  private static long roundUp(long value, long to) {
    return (value + to - 1) / to * to;
  }

  private void round(Cursor[] cursors, long first, long part, long end, long skip) {
    long length = Math.min(windowBytes, part - skip);
    Cursor.Window[] windows = new Cursor.Window[aggregators];
    int[] sendBytes = new int[ranks.size()];
    long[] at = new long[aggregators];
    long total = 0;
    for (int i = 0; i < aggregators; i++) {
      windows[i] = cursors[i].next(windowOf(i, first, part, end, skip), windowOf(i, first, part, end, skip + length));
      int bytes = windows[i].headBytes() + (isWrite ? (int) windows[i].bytes : 0);
      sendBytes[rankOf(i, aggregators, ranks.size())] = bytes;
      at[i] = total;
      total += bytes;
    }
    MemorySegment send = Numbers.memory(total);
    int[] heads = new int[ranks.size()];
    for (int i = 0; i < aggregators; i++) {
      windows[i].encode(send, at[i]);
      heads[rankOf(i, aggregators, ranks.size())] = windows[i].headBytes();
      if (isWrite) {
        int of = i;
        attempt(() -> cursors[of].copy(windows[of].position, windows[of].bytes, send, at[of] + windows[of].headBytes(), true));
      }
    }
    int[] theirHeads = Numbers.exchange(ranks, heads);
    int[] receiveBytes = isWrite ? Numbers.exchange(ranks, sendBytes) : theirHeads;
    MemorySegment received = Numbers.memory(sum(receiveBytes));
    ranks.alltoallv(send, sendBytes, received, receiveBytes);
    int own = ownNumber();
    Gathered gathered = own < 0 ? null : new Gathered(received, receiveBytes, theirHeads, windowOf(own, first, part, end, skip), length);
    if (isWrite) {
      store(gathered);
    } else {
      giveBack(cursors, windows, gathered);
    }
  }

  private static long windowOf(int aggregator, long first, long part, long end, long skip) {
    long begin = beginOf(aggregator, first, part, end);
    return skip >= end - begin ? end : begin + skip;
  }

  private static long sum(int[] all) {
    long sum = 0;
    for (int each : all) {
      sum += each;
    }
    return sum;
  }

  /** The messages that an aggregator received in a round. */
  private record Gathered(MemorySegment messages, int[] bytes, int[] heads, long begin, long length) {
    /** Calls {@code to} for each piece, rank by rank, with its offset in the window, its length, and the position of its data behind the rank's head. */
    void each(Piece to) {
      long message = 0;
      for (int rank = 0; rank < bytes.length; rank++) {
        long data = 0;
        for (long at = 0; at < heads[rank]; at += 16) {
          long offset = messages.get(ValueLayout.JAVA_LONG_UNALIGNED, message + at);
          long piece = messages.get(ValueLayout.JAVA_LONG_UNALIGNED, message + at + 8);
          to.is(rank, offset - begin, piece, message + heads[rank] + data);
          data += piece;
        }
        message += bytes[rank];
      }
    }

    /** Returns the pieces of all ranks as one ascending list; bytes of several ranks occur once. */
    Regions union() {
      long[] set = new long[(int) ((length + 63) / 64)];
      each((rank, at, piece, data) -> mark(set, at, at + piece));
      Regions all = new Regions();
      long from = next(set, 0, true);
      while (from < length) {
        long to = Math.min(length, next(set, from, false));
        all.add(begin + from, to - from);
        from = next(set, to, true);
      }
      return all;
    }

    private static void mark(long[] set, long from, long to) {
      for (long at = from; at < to;) {
        int bit = (int) (at & 63);
        long bits = Math.min(64 - bit, to - at);
        set[(int) (at >> 6)] |= (bits == 64 ? -1L : (1L << bits) - 1) << bit;
        at += bits;
      }
    }

    /** Returns the first byte from {@code from} on that is marked (or is not); a number behind all if there is none. */
    private static long next(long[] set, long from, boolean isMarked) {
      for (long at = from; at < 64L * set.length;) {
        long bits = (isMarked ? set[(int) (at >> 6)] : ~set[(int) (at >> 6)]) >>> (at & 63);
        if (bits != 0) {
          return at + Long.numberOfTrailingZeros(bits);
        }
        at = (at | 63) + 1;
      }
      return Long.MAX_VALUE;
    }
  }

  private interface Piece {
    void is(int rank, long at, long bytes, long data);
  }

  private MemorySegment[] slices(Gathered gathered, Regions of) {
    MemorySegment[] slices = new MemorySegment[of.count()];
    for (int i = 0; i < slices.length; i++) {
      slices[i] = buffer.asSlice(of.offset(i) - gathered.begin(), of.length(i));
    }
    return slices;
  }

  /** If ranks write the same byte, the highest rank wins. */
  private void store(Gathered gathered) {
    if (gathered == null || gathered.messages().byteSize() == 0) {
      return;
    }
    gathered.each((rank, at, bytes, data) -> MemorySegment.copy(gathered.messages(), data, buffer, at, bytes));
    Regions all = gathered.union();
    attempt(() -> Interrupts.putAside(() -> { // An interrupted operation that goes on would use the buffer during the next window.
      file.writeList(all.offsets(), all.lengths(), slices(gathered, all));
      return null;
    }));
  }

  private void giveBack(Cursor[] cursors, Cursor.Window[] windows, Gathered gathered) {
    int[] giveBytes = new int[ranks.size()];
    MemorySegment give = MemorySegment.NULL;
    if (gathered != null && gathered.messages().byteSize() > 0) {
      Regions all = gathered.union();
      attempt(() -> Interrupts.putAside(() -> file.readList(all.offsets(), all.lengths(), slices(gathered, all))));
      gathered.each((rank, at, bytes, data) -> giveBytes[rank] += (int) bytes);
      MemorySegment answer = Numbers.memory(sum(giveBytes));
      long[] next = {0};
      gathered.each((rank, at, bytes, data) -> {
        MemorySegment.copy(buffer, at, answer, next[0], bytes);
        next[0] += bytes;
      });
      give = answer;
    }
    int[] takeBytes = new int[ranks.size()];
    for (int i = 0; i < aggregators; i++) {
      takeBytes[rankOf(i, aggregators, ranks.size())] = (int) windows[i].bytes;
    }
    MemorySegment taken = Numbers.memory(sum(takeBytes));
    ranks.alltoallv(give, giveBytes, taken, takeBytes);
    attempt(() -> {
      long at = 0;
      for (int i = 0; i < aggregators; i++) {
        cursors[i].copy(windows[i].position, windows[i].bytes, taken, at, false);
        at += windows[i].bytes;
      }
    });
  }
}
