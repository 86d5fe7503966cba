package dev.weft.lab.seed003;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.lab.CommandRun;
import dev.weft.lab.figures.Figure;
import dev.weft.lab.figures.Figures;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@Timeout(300)
class ClanFiguresTest {
  @Test
  void shouldAgreeWithSeed003ButForTheSoftwareOfMessagePassing(@TempDir Path dir) throws IOException {
    CommandRun run = CommandRun.of("repro", "clan", "--json", "--plots", dir.toString());
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    List<String> seen = new ArrayList<>();
    for (JsonNode experiment : new ObjectMapper().readTree(run.out()).get("experiments")) {
      for (JsonNode row : experiment.get("rows")) {
        String expected = switch (row.get("row").asText()) {
          case "clan.mpi.rtt" -> "differs";
          case "clan.bw.half", "clan.server.endpoints" -> "follows from inputs";
          default -> "agrees";
        };
        assertEquals(expected, row.get("verdict").asText(), row.toString());
        seen.add(row.get("row").asText());
      }
      experiment.path("checks").forEach(check -> assertEquals("holds", check.get("verdict").asText(), check.toString()));
    }
    List<String> rows = Figures.load().all().stream().map(Figure::id).filter(id -> id.startsWith("clan.")).toList();
    assertEquals(rows.stream().filter(id -> !id.equals("clan.nfs")).sorted().toList(), seen.stream().sorted().toList());
    try (Stream<Path> files = Files.list(dir)) {
      assertEquals(List.of("clan-fig5-endpoints.png", "clan-fig5-endpoints.svg", "clan-fig6-rate.png", "clan-fig6-rate.svg",
          "clan-fig7-bandwidth.png", "clan-fig7-bandwidth.svg", "report.html"),
          files.map(file -> file.getFileName().toString()).sorted().toList());
    }
  }

  @Test
  void shouldPrintTheSameReportAndPlotsTwice(@TempDir Path first, @TempDir Path second) throws IOException {
    CommandRun one = CommandRun.of("repro", "clan", "--seed", "3", "--json", "--plots", first.toString());
    assertEquals(one.out(), CommandRun.of("repro", "clan", "--seed", "3", "--json", "--plots", second.toString()).out());
    try (Stream<Path> files = Files.list(first)) {
      for (Path file : files.sorted().toList()) {
        assertEquals(-1, Files.mismatch(file, second.resolve(file.getFileName())), file.toString());
      }
    }
  }
}
