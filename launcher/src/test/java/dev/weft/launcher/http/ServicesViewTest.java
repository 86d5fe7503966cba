package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.typesafe.config.ConfigFactory;
import dev.weft.service.Alarm;
import dev.weft.service.Paging;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.service.StatusTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A service that is broken is told by name, and hides nothing of the others. */
@Tag("actor")
@Timeout(180)
class ServicesViewTest {
  /** Fails wherever it is asked. */
  private static final class Broken implements Running {
    private final Error failure;

    Broken(Error failure) {
      this.failure = failure;
    }

    @Override
    public Map<String, Section> sections() {
      return Map.of("broken", new Section() {
        @Override
        public CompletionStage<?> find(List<String> path, Paging paging) {
          throw failure;
        }
      });
    }

    @Override
    public CompletionStage<List<StatusTable>> tables() {
      throw failure;
    }

    @Override
    public List<Alarm> alarms() {
      throw failure;
    }

    @Override
    public Optional<String> problem() {
      throw failure;
    }
  }

  /** Never says its rows. */
  private static final class Slow implements Running {
    @Override
    public CompletionStage<List<StatusTable>> tables() {
      return new CompletableFuture<>();
    }
  }

  private static Map<String, Running> beside(Running broken) {
    Map<String, Running> services = new LinkedHashMap<>();
    services.put("broken", broken);
    services.put("toy", new Toy("toy", "", List.of(), null, StatusTable.of("Toys", "NAME").row("one")));
    return services;
  }

  @Test
  void shouldShowTheOthersAndNameTheOneThatFailsWhateverItThrows() throws Exception {
    for (Error failure : List.of(new NoSuchMethodError("of another seam"), new AssertionError("broken"), new StackOverflowError())) {
      try (Bed bed = new Bed(ConfigFactory.empty(), inspection -> inspection.withServices(beside(new Broken(failure))))) {
        JsonNode status = bed.json("/weft/status");
        assertEquals("[\"Toys\"]", status.path("tables").findValuesAsText("title").stream().map(title -> '"' + title + '"').toList().toString());
        List<String> alarms = status.path("alarms").findValuesAsText("text");
        assertTrue(alarms.stream().anyMatch(text -> text.startsWith("the service broken could not report its rows: " + failure)), alarms.toString());
        assertTrue(alarms.stream().anyMatch(text -> text.startsWith("the service broken could not report its alarms")), alarms.toString());
        assertEquals(500, bed.get("/weft/broken").status());
        Bed.Answer ready = bed.get("/ready");
        assertEquals(500, ready.status());
        assertTrue(ready.body().contains("the service broken could not report whether it is ready"), ready.body());
        assertEquals(1, StatusReport.fetch(List.of(bed.http.uri())).exitCode());
      }
    }
  }

  @Test
  void shouldNotWaitForAServiceThatSaysNothing() throws Exception {
    try (Bed bed = new Bed(ConfigFactory.parseString("weft.http.ask-timeout = 200 ms"), inspection -> inspection.withServices(beside(new Slow())))) {
      JsonNode status = bed.json("/weft/status");
      assertEquals("Toys", status.at("/tables/0/title").asText());
      assertEquals("SERVICE_SILENT", status.at("/alarms/0/kind").asText());
      assertEquals("the service broken did not report its state within 200 ms", status.at("/alarms/0/text").asText());
    }
  }

  @Test
  void shouldShowTablesOfOneTitleWithOtherColumnsBesideEachOther() throws Exception {
    Toy old = new Toy("old", "", List.of(), null, StatusTable.of("Toys", "NAME", ">SIZE").row("one", 7));
    Toy young = new Toy("young", "", List.of(), null, StatusTable.of("Toys", "NAME").row("two"));
    try (Bed bed = new Bed(ConfigFactory.empty(), inspection -> inspection.withServices(new LinkedHashMap<>(Map.of("old", old, "young", young))))) {
      String text = StatusReport.fetch(List.of(bed.http.uri())).toText();
      assertTrue(text.contains("  one   local     7\n") && text.contains("  two   local\n"), text);
    }
  }
}
