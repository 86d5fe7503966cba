package dev.weft.lab.trials.dsm.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HistoryTextTest {
  private static History read(String text) throws IOException {
    return HistoryText.read(new BufferedReader(new StringReader(text)), "run.txt");
  }

  private static void refused(String line, String reason) {
    HistoryFormatException refused = assertThrows(HistoryFormatException.class, () -> read("weft-history 1\n\n" + line + "\n"));
    assertEquals("run.txt, line 3: " + reason, refused.getMessage());
    assertEquals(3, refused.line());
  }

  @Test
  void shouldNotReadALineToItsEndThatHasNone() {
    Reader endless = new Reader() {
      @Override
      public int read(char[] to, int at, int count) {
        Arrays.fill(to, at, at + count, 'x');
        return count;
      }

      @Override
      public void close() {}
    };
    assertEquals(1, assertThrows(HistoryFormatException.class, () -> HistoryText.read(new BufferedReader(endless), "run.txt")).line());
  }

  @Test
  void shouldReadWhatItWrites() throws IOException {
    for (long seed = 1; seed <= 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      History history = RegisterHistories.history(RegisterHistories.draw(random, 3, 30, 10, random.nextInt(2) * 3, 80));
      history.initial(0, random.nextLong()).initial(Long.MAX_VALUE, Long.MIN_VALUE);
      StringBuilder text = new StringBuilder();
      HistoryText.write(history, text);
      History again = read(text.toString());
      assertEquals(history.operations(), again.operations(), "seed " + seed + "\n" + text);
      assertEquals(history.initials(), again.initials(), "seed " + seed);
    }
  }

  @Test
  void shouldReadEachKindOfLine() throws IOException {
    History history = read("""
        weft-history 1
        # a remark
        initial 3 100
        0 3 write 7 10 15
          1   3\tread 7 12 20
        1 3 add -2 7 21 30

        0 3 cas 9 5 true 25 31
        0 3 cas 9 5 false 32 33
        2 3 write 4 40 -1
        3 3 cas 5 6 ? 41 -1
        4 3 read ? 41 -1
        """);
    assertEquals(100, history.initial(3));
    assertEquals(List.of(
        Operation.write(0, 3, 7, 10, 15), Operation.read(1, 3, 7, 12, 20), Operation.add(1, 3, -2, 7, 21, 30),
        Operation.cas(0, 3, 9, 5, true, 25, 31), Operation.cas(0, 3, 9, 5, false, 32, 33), Operation.write(2, 3, 4, 40, -1),
        Operation.cas(3, 3, 5, 6, false, 41, -1), Operation.read(4, 3, 0, 41, -1)), history.operations());
  }

  @Test
  void shouldSayWhatIsWrongAndWhere() {
    refused("0 3 fetch 7 10 15", "operation \"fetch\", must be read, write, add or cas");
    refused("0 3", "2 fields, must be THREAD WORD OPERATION INVOKED RETURNED");
    refused("0 3 read 7 10", "5 fields, must be 6: THREAD WORD read RESULT INVOKED RETURNED");
    refused("0 3 cas 9 5 10 15", "7 fields, must be 8: THREAD WORD cas EXPECTED VALUE true|false INVOKED RETURNED");
    refused("0 3 cas 9 5 yes 10 15", "result \"yes\", must be true, false or ?");
    refused("0 x read 7 10 15", "word \"x\", must be a whole number");
    refused("0 3 read seven 10 15", "result \"seven\", must be a whole number");
    refused("-1 3 read 7 10 15", "thread -1, must be 0 to 2147483647");
    refused("0 -3 read 7 10 15", "word -3, must be 0 or more");
    refused("0 3 read 7 10 9", "returned at 9, before its invocation at 10; must be later, or -1");
    refused("0 3 read 7 10 -1", "result \"7\" of an operation that never returned (-1), must be ?");
    refused("0 3 add 1 ? 10 11", "result \"?\" of an operation that returned at 11, must be known");
    refused("0 3 write 99999999999999999999 10 11", "value \"99999999999999999999\", must be a whole number");
    refused("initial 3", "2 fields, must be 3: initial WORD VALUE");
    refused("#".repeat(2_000), "more than 1000 characters, must have at most 1000");
  }

  @Test
  void shouldRefuseLinesThatDoNotGoTogether() {
    assertEquals("run.txt, line 3: thread 0 began at 5, before its last operation ended at 9; operations of a thread must come in its order",
        assertThrows(HistoryFormatException.class, () -> read("weft-history 1\n0 0 read 0 1 9\n0 1 read 0 5 10")).getMessage());
    assertEquals("run.txt, line 3: the first value of word 2 was given before",
        assertThrows(HistoryFormatException.class, () -> read("weft-history 1\ninitial 2 1\ninitial 2 1")).getMessage());
    assertEquals("run.txt, line 1: is missing, must be \"weft-history 1\"",
        assertThrows(HistoryFormatException.class, () -> read("")).getMessage());
    assertEquals("run.txt, line 1: is \"weft-history 2\", must be \"weft-history 1\"",
        assertThrows(HistoryFormatException.class, () -> read("weft-history 2\n")).getMessage());
  }
}
