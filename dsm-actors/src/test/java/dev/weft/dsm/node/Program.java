package dev.weft.dsm.node;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the threads of a model do, one thread for each node. As text: {@code "W0 R1 | W1 R0"} means that the thread of node 0 writes word 0 and reads
 * word 1; W, R, X for an exchange (read and write at once), F for a prefetch and P for a push.
 */
record Program(String text, List<List<Op>> threads) {
  enum Kind {
    READ('R'),
    WRITE('W'),
    EXCHANGE('X'),
    PREFETCH('F'),
    PUSH('P');

    final char letter;

    Kind(char letter) {
      this.letter = letter;
    }
  }

  /** What is written is a value that nothing else writes. */
  record Op(Kind kind, int word, long value) {
    boolean reads() {
      return kind == Kind.READ || kind == Kind.EXCHANGE;
    }

    boolean writes() {
      return kind == Kind.WRITE || kind == Kind.EXCHANGE;
    }
  }

  static Program of(String text) {
    List<List<Op>> threads = new ArrayList<>();
    for (String part : text.split("\\|", -1)) {
      List<Op> ops = new ArrayList<>();
      for (String op : part.trim().split(" +")) {
        if (!op.isEmpty()) {
          Kind kind = Arrays.stream(Kind.values()).filter(each -> each.letter == op.charAt(0)).findFirst().orElseThrow();
          ops.add(new Op(kind, op.charAt(1) - '0', 10L * (threads.size() + 1) + ops.size()));
        }
      }
      threads.add(List.copyOf(ops));
    }
    return new Program(text, List.copyOf(threads));
  }

  /**
   * Whether there is one order of what the threads have done that explains what they have read.
   *
   * @param read what each has read, in order; as many as it has done are taken of its program
   * @param done how much of its program each has done
   */
  boolean isSequential(List<List<Long>> read, int[] done) {
    return new Explaining(read, done).search(new int[threads.size()], new int[threads.size()], new long[2]);
  }

  private final class Explaining {
    private final List<List<Long>> read;
    private final int[] done;
    private final Set<String> tried = new HashSet<>();

    private Explaining(List<List<Long>> read, int[] done) {
      this.read = read;
      this.done = done;
    }

    private boolean search(int[] at, int[] reads, long[] memory) {
      if (Arrays.equals(at, done)) {
        return true;
      }
      if (!tried.add(Arrays.toString(at) + Arrays.toString(memory))) {
        return false;
      }
      for (int thread = 0; thread < at.length; thread++) {
        if (at[thread] < done[thread]) {
          Op op = threads.get(thread).get(at[thread]);
          if (op.reads() && read.get(thread).get(reads[thread]) != memory[op.word]) {
            continue;
          }
          int[] nextAt = at.clone();
          nextAt[thread]++;
          int[] nextReads = reads.clone();
          nextReads[thread] += op.reads() ? 1 : 0;
          long[] nextMemory = memory.clone();
          if (op.writes()) {
            nextMemory[op.word] = op.value;
          }
          if (search(nextAt, nextReads, nextMemory)) {
            return true;
          }
        }
      }
      return false;
    }
  }
}
