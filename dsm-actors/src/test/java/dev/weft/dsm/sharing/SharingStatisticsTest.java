package dev.weft.dsm.sharing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.wire.ObjectSpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SharingStatisticsTest {
  private static final int FIRST = 40;
  private static final int PAGE = 4096;

  private final SharingStatistics statistics = new SharingStatistics(1000);

  private static ObjectSpec array(long words, long strideBytes) {
    return new ObjectSpec(1, ObjectSpec.Kind.LONGS, "grid", words, strideBytes, 0, FIRST, 0b111);
  }

  /** A node writes words of a minipage that {@code from} had alone. */
  private void takes(int minipage, int by, int from, int firstWord, int lastWord) {
    statistics.asked(minipage, by, true, firstWord, lastWord);
    statistics.served(minipage, by, true, from, 1L << from);
  }

  private void takesInTurns(int minipage, int times, int firstOfZero, int lastOfZero, int firstOfOne, int lastOfOne) {
    for (int i = 0; i < times; i++) {
      int zero = firstOfZero + i % (lastOfZero - firstOfZero + 1);
      int one = firstOfOne + i % (lastOfOne - firstOfOne + 1);
      takes(minipage, 1, 0, one, one);
      takes(minipage, 0, 1, zero, zero);
    }
  }

  private SharingReport.OfMinipage worst() {
    return statistics.report(8).worst().getFirst();
  }

  @Test
  void shouldCountFaultsInvalidationsAndBytes() {
    statistics.add(array(1024, PAGE), "Main.run(Main.java:7)");
    statistics.asked(FIRST + 1, 2, false, 0, 0);
    statistics.served(FIRST + 1, 2, false, 0, 0); // Node 0 keeps a copy.
    statistics.asked(FIRST + 1, 1, true, 3, 3);
    statistics.served(FIRST + 1, 1, true, 0, 0b101);
    SharingReport report = statistics.report(8);
    SharingReport.OfArray array = report.arrays().getFirst();
    assertEquals("Main.run(Main.java:7)", array.site());
    assertEquals(1, array.readFaults());
    assertEquals(1, array.writeFaults());
    assertEquals(2, array.invalidations());
    assertEquals(2 * PAGE, array.bytesMoved());
    assertEquals(List.of(new SharingReport.Pair(1, 0, 1), new SharingReport.Pair(1, 2, 1)), array.taken());
    assertEquals(1, worst().index());
    assertEquals(512, worst().firstElement());
    assertEquals(1023, worst().lastElement());
    assertEquals(List.of(new SharingReport.Pair(1, 2, 1), new SharingReport.Pair(1, 0, 1)), worst().recent());
  }

  @Test
  void shouldMoveNoBytesForAnUpgrade() {
    statistics.add(array(1024, PAGE), "");
    statistics.served(FIRST, 1, true, -1, 0b1);
    assertEquals(0, statistics.report(8).arrays().getFirst().bytesMoved());
    assertEquals(1, statistics.report(8).arrays().getFirst().invalidations());
  }

  @Test
  void shouldCountAPingPongWhenANodeGetsBackWhatAnotherTook() {
    statistics.add(array(1024, PAGE), "");
    takes(FIRST, 1, 0, 0, 0);
    takes(FIRST, 2, 1, 0, 0);
    assertEquals(0, worst().pingPongs(), "nobody has got anything back");
    takes(FIRST, 1, 2, 0, 0);
    assertEquals(1, worst().pingPongs());
    takes(FIRST, 0, 1, 0, 0);
    assertEquals(2, worst().pingPongs());
    statistics.served(FIRST, 1, false, 0, 0); // A reader whose copy was taken, too.
    assertEquals(3, worst().pingPongs());
    statistics.served(FIRST, 1, true, -1, 0b1); // It had a copy: nobody had taken it.
    assertEquals(3, worst().pingPongs());
  }

  @Test
  void shouldNameFalseSharingAndTheUnitThatEndsIt() {
    statistics.add(array(1024, PAGE), "");
    takesInTurns(FIRST, 40, 0, 15, 16, 31);
    assertEquals("false", worst().sharing());
    assertEquals(128, worst().unit());
    assertEquals(List.of(new SharingReport.Touched(0, 0, 15, true), new SharingReport.Touched(1, 16, 31, true)), worst().nodes());
    assertEquals(1, statistics.report(8).arrays().getFirst().falselyShared());
    assertEquals(128, statistics.report(8).arrays().getFirst().unit());
    assertEquals(0, worst().sharedFaults());
    assertTrue(worst().apartFaults() > 70, worst().toString());
  }

  /** At the end of a program, say: what it wrote is apart all the same. */
  @Test
  void shouldNameTheSameUnitWhereOneReadsNowAndThenWhatTheOtherWrites() {
    statistics.add(array(1024, PAGE), "");
    takesInTurns(FIRST, 40, 0, 0, 16, 16);
    statistics.asked(FIRST, 1, false, 0, 0);
    statistics.served(FIRST, 1, false, 0, 0);
    assertEquals("false", worst().sharing());
    assertEquals(128, worst().unit());
  }

  @Test
  void shouldProposeARowWhereMinipagesHaveSeveral() {
    int rowBytes = 3000;
    statistics.add(array(3 * rowBytes / 8 * 4, 3 * rowBytes), "");
    takesInTurns(FIRST + 1, 400, 0, rowBytes / 8 - 1, rowBytes / 8, 2 * rowBytes / 8 - 1);
    assertEquals("false", worst().sharing());
    assertEquals(rowBytes, worst().unit());
  }

  @Test
  void shouldNotCallItFalseWhenNodesWantTheSameWord() {
    statistics.add(array(1024, PAGE), "");
    takesInTurns(FIRST, 40, 5, 5, 5, 5);
    assertEquals("true", worst().sharing());
    assertEquals(0, worst().unit());
    assertEquals(0, statistics.report(8).arrays().getFirst().falselyShared());
  }

  @Test
  void shouldSayMixedWhenBothHappenAndLeaveTheSharedWordOut() {
    statistics.add(array(1024, PAGE), "");
    for (int i = 0; i < 40; i++) {
      takesInTurns(FIRST, 1, 5, 5, 5, 5);
      takesInTurns(FIRST, 1, 64, 64, 128, 128);
    }
    assertEquals("mixed", worst().sharing());
    assertEquals(1024, worst().unit());
  }

  @Test
  void shouldCallAReaderOfOtherWordsFalseSharingToo() {
    statistics.add(array(1024, PAGE), "");
    for (int i = 0; i < 20; i++) {
      statistics.asked(FIRST, 1, false, 256, 256);
      statistics.served(FIRST, 1, false, 0, 0);
      statistics.asked(FIRST, 0, true, 0, 0);
      statistics.served(FIRST, 0, true, -1, 0b10);
    }
    assertEquals("false", worst().sharing());
    assertEquals(2048, worst().unit());
    assertEquals(19, worst().pingPongs());
  }

  @Test
  void shouldNotBeMisledByWhoFilledTheArray() {
    statistics.add(array(1024, PAGE), "");
    statistics.asked(FIRST, 2, true, 0, 511);
    statistics.served(FIRST, 2, true, 0, 0b1);
    statistics.asked(FIRST, 0, true, 0, 0);
    statistics.served(FIRST, 0, true, 2, 0b100);
    takesInTurns(FIRST, 40, 0, 7, 8, 15);
    assertEquals("false", worst().sharing());
    assertEquals(64, worst().unit());
  }

  @Test
  void shouldForgetOldPhases() {
    statistics.add(array(1024, PAGE), "");
    takesInTurns(FIRST, 20, 0, 0, 0, 0);
    takesInTurns(FIRST, 2 * WordTouches.GENERATION, 0, 7, 8, 15);
    assertEquals("false", worst().sharing());
    assertEquals(64, worst().unit());
    assertEquals(List.of(new SharingReport.Touched(0, 0, 7, true), new SharingReport.Touched(1, 8, 15, true)), worst().nodes());
  }

  @Test
  void shouldCountForTheArrayOnlyWhenThereAreTooManyMinipages() {
    SharingStatistics few = new SharingStatistics(2);
    few.add(array(1024, 64), "");
    for (int minipage = FIRST; minipage < FIRST + 5; minipage++) {
      few.asked(minipage, 1, true, 0, 0);
      few.served(minipage, 1, true, 0, 0b1);
    }
    SharingReport report = few.report(8);
    assertEquals(2, report.counted());
    assertEquals(3, report.uncounted());
    assertEquals(5, report.arrays().getFirst().writeFaults());
    assertEquals(5, report.arrays().getFirst().invalidations());
    assertEquals(2, report.worst().size());
  }

  @Test
  void shouldForgetAnArrayThatIsFreed() {
    ObjectSpec spec = array(1024, PAGE);
    statistics.add(spec, "");
    takesInTurns(FIRST, 10, 0, 0, 1, 1);
    statistics.remove(spec);
    SharingReport report = statistics.report(8);
    assertEquals(new SharingReport(List.of(), List.of(), 0, 0), report);
    statistics.asked(FIRST, 1, true, 0, 0); // On its way when it was freed.
    statistics.served(FIRST, 1, true, 0, 1);
    assertEquals(report, statistics.report(8));
  }

  @Test
  void shouldNameTheWorstFirstAndNoMoreThanAsked() {
    statistics.add(array(1024, 64), "");
    for (int minipage = 0; minipage < 20; minipage++) {
      takesInTurns(FIRST + minipage, minipage + 1, 0, 0, 1, 1);
    }
    assertEquals(List.of(19, 18, 17), statistics.report(3).worst().stream().map(SharingReport.OfMinipage::index).toList());
  }

  @ParameterizedTest
  @CsvSource({"8, 1, 8", "4096, 512, 8", "4104, 257, 16", "1048576, 512, 2048", "8589934592, 512, 16777216"})
  void shouldLookAtWordsInAtMost512Chunks(long bytes, int chunks, long chunkBytes) {
    WordTouches touches = new WordTouches(bytes);
    assertEquals(chunks, touches.chunks());
    assertEquals(chunkBytes, touches.chunkBytes());
    touches.touch(3, true, 0, Integer.MAX_VALUE);
    assertEquals(chunks - 1, touches.last(0));
  }

  @Test
  void shouldKeepTheEndOfALongSite() {
    String site = AllocationSite.shortened("dev.weft.".repeat(20) + "Größe.run(Größe.java:12)");
    assertTrue(site.startsWith("..") && site.endsWith("Größe.run(Größe.java:12)"), site);
    assertTrue(site.getBytes(java.nio.charset.StandardCharsets.UTF_8).length <= 96, site);
  }
}
