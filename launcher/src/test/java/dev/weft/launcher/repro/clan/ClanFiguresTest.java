package dev.weft.launcher.repro.clan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.launcher.CommandRun;
import dev.weft.launcher.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class ClanFiguresTest {
  @Test
  void shouldAgreeWithTheRowsOfSeed003AndPrintTheSameReportAndPlotsTwice(@TempDir Path first, @TempDir Path second) throws IOException {
    CommandRun one = CommandRun.of("repro", "clan", "--strict", "--plots", first.toString());
    System.out.println(one.out());
    assertEquals(ExitCode.OK, one.exitCode(), one.out() + one.err());
    for (String row : List.of("clan.rtt.word", "clan.bus", "clan.server.idle", "clan.server.rate", "clan.bw.half")) {
      assertTrue(one.out().contains(row), row);
    }
    CommandRun two = CommandRun.of("repro", "clan", "--strict", "--plots", second.toString());
    assertEquals(one.out().replace(first.toString(), ""), two.out().replace(second.toString(), ""));
    try (Stream<Path> files = Files.list(first)) {
      List<Path> written = files.sorted().toList();
      assertEquals(List.of("clan-fig5-endpoints.png", "clan-fig5-endpoints.svg", "clan-fig6-rate.png", "clan-fig6-rate.svg",
          "clan-fig7-bandwidth.png", "clan-fig7-bandwidth.svg", "report.html"),
          written.stream().map(file -> file.getFileName().toString()).toList());
      for (Path file : written) {
        assertEquals(-1, Files.mismatch(file, second.resolve(file.getFileName())), file.toString());
      }
    }
  }
}
