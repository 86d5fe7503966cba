package dev.weft.lab.trials.dsm.check;

import dev.weft.lab.trials.dsm.check.Operation.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;

/**
 * Histories as text, a line for each operation, with numbers in decimal:
 *
 * <pre>{@code
 * weft-history 1
 * # THREAD WORD OPERATION INVOKED RETURNED
 * initial 3 100                 word 3 is 100 at first; words that are not named are 0
 * 0 3 write 7 10 15             thread 0 wrote 7, from tick 10 to tick 15
 * 1 3 read 7 12 20              read 7
 * 1 3 add 2 7 21 30             added 2 to what was 7
 * 0 3 cas 9 5 true 25 31        compare-and-set of 9 to 5, which wrote
 * 2 3 write 4 40 -1             never returned
 * 1 3 cas 5 6 ? 41 -1           never returned: the result is unknown; also for read and add
 * }</pre>
 *
 * Empty lines and lines that begin with # are ignored. Lines of one thread are in program order.
 */
public final class HistoryText {
  private static final String HEADER = "weft-history 1";
  private static final int LINE_MAX = 1_000;

  private final History history = new History();

  private HistoryText() {}

  /** Writes a history, with all operations in the order of the history. */
  public static void write(History history, Appendable to) throws IOException {
    to.append(HEADER).append("\n# THREAD WORD OPERATION INVOKED RETURNED\n");
    for (var initial : history.initials().entrySet()) {
      to.append("initial ").append(String.valueOf(initial.getKey())).append(' ').append(String.valueOf(initial.getValue())).append('\n');
    }
    for (Operation operation : history.operations()) {
      to.append(String.valueOf(operation.thread())).append(' ').append(String.valueOf(operation.word())).append(' ')
          .append(text(operation)).append(' ').append(String.valueOf(operation.invokedAt())).append(' ')
          .append(String.valueOf(operation.returnedAt())).append('\n');
    }
  }

  private static String text(Operation operation) {
    String result = operation.returned() ? String.valueOf(operation.result()) : "?";
    return switch (operation.kind()) {
      case READ -> "read " + result;
      case WRITE -> "write " + operation.argument();
      case ADD -> "add " + operation.argument() + " " + result;
      case CAS -> "cas " + operation.expected() + " " + operation.argument() + " "
          + (operation.returned() ? String.valueOf(operation.result() == 1) : "?");
    };
  }

  /**
   * Reads a history to its end.
   *
   * @param source name of the text in errors, for example of the file
   * @throws HistoryFormatException if a line is malformed; names the line, what is wrong and what is required
   */
  public static History read(BufferedReader from, String source) throws IOException {
    HistoryText text = new HistoryText();
    String line = nextLine(from);
    if (line == null || !line.strip().equals(HEADER)) {
      throw new HistoryFormatException(source, 1, "is " + (line == null ? "missing" : quote(line)) + ", must be \"" + HEADER + "\"");
    }
    int number = 1;
    while ((line = nextLine(from)) != null) {
      number++;
      try {
        text.line(line.strip());
      } catch (IllegalArgumentException e) {
        throw new HistoryFormatException(source, number, e.getMessage());
      }
    }
    return text.history;
  }

  /** Returns null at the end. Of a line that is too long, returns one character more than the limit. */
  private static String nextLine(BufferedReader from) throws IOException {
    StringBuilder line = new StringBuilder();
    int next = from.read();
    if (next < 0) {
      return null;
    }
    while (next >= 0 && next != '\n' && line.length() <= LINE_MAX) {
      line.append((char) next);
      next = from.read();
    }
    return line.toString();
  }

  private void line(String line) {
    if (line.length() > LINE_MAX) {
      throw new IllegalArgumentException("more than " + LINE_MAX + " characters, must have at most " + LINE_MAX);
    }
    if (line.isEmpty() || line.startsWith("#")) {
      return;
    }
    List<String> fields = List.of(line.split("\\s+"));
    if (fields.getFirst().equals("initial")) {
      count(fields, 3, "initial WORD VALUE");
      history.initial(number(fields, 1, "word"), number(fields, 2, "value"));
    } else {
      history.add(operation(fields));
    }
  }

  private static Operation operation(List<String> fields) {
    if (fields.size() < 3) {
      throw new IllegalArgumentException(fields.size() + " fields, must be THREAD WORD OPERATION INVOKED RETURNED");
    }
    Kind kind = kind(fields.get(2));
    switch (kind) {
      case READ -> count(fields, 6, "THREAD WORD read RESULT INVOKED RETURNED");
      case WRITE -> count(fields, 6, "THREAD WORD write VALUE INVOKED RETURNED");
      case ADD -> count(fields, 7, "THREAD WORD add DELTA BEFORE INVOKED RETURNED");
      case CAS -> count(fields, 8, "THREAD WORD cas EXPECTED VALUE true|false INVOKED RETURNED");
    }
    long thread = number(fields, 0, "thread");
    if (thread < 0 || thread > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("thread " + thread + ", must be 0 to " + Integer.MAX_VALUE);
    }
    long returnedAt = number(fields, fields.size() - 1, "time of the return");
    int at = fields.size() - 3;
    boolean pending = kind != Kind.WRITE && unknown(fields.get(at), returnedAt);
    return new Operation((int) thread, number(fields, 1, "word"), kind, kind == Kind.CAS ? number(fields, 3, "expected value") : 0,
        switch (kind) {
          case READ -> 0;
          case WRITE, ADD -> number(fields, 3, "value");
          case CAS -> number(fields, 4, "value");
        },
        pending ? 0 : switch (kind) {
          case WRITE -> 0;
          case READ, ADD -> number(fields, at, "result");
          case CAS -> truth(fields.get(at));
        },
        number(fields, fields.size() - 2, "time of the invocation"), returnedAt);
  }

  private static boolean unknown(String result, long returnedAt) {
    if (result.equals("?") != (returnedAt == Operation.NEVER)) {
      throw new IllegalArgumentException("result " + quote(result) + " of an operation that "
          + (returnedAt == Operation.NEVER ? "never returned (-1), must be ?" : "returned at " + returnedAt + ", must be known"));
    }
    return result.equals("?");
  }

  private static Kind kind(String name) {
    return switch (name) {
      case "read" -> Kind.READ;
      case "write" -> Kind.WRITE;
      case "add" -> Kind.ADD;
      case "cas" -> Kind.CAS;
      default -> throw new IllegalArgumentException("operation " + quote(name) + ", must be read, write, add or cas");
    };
  }

  private static long truth(String text) {
    return switch (text) {
      case "true" -> 1;
      case "false" -> 0;
      default -> throw new IllegalArgumentException("result " + quote(text) + ", must be true, false or ?");
    };
  }

  private static void count(List<String> fields, int count, String form) {
    if (fields.size() != count) {
      throw new IllegalArgumentException(fields.size() + " fields, must be " + count + ": " + form);
    }
  }

  private static long number(List<String> fields, int at, String what) {
    try {
      return Long.parseLong(fields.get(at));
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException(what + " " + quote(fields.get(at)) + ", must be a whole number");
    }
  }

  private static String quote(String text) {
    return "\"" + (text.length() > 60 ? text.substring(0, 60) + "..." : text) + "\"";
  }
}
