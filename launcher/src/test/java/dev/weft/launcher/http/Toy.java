package dev.weft.launcher.http;

import dev.weft.service.Alarm;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.service.StatusTable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A service that shows what a test wants. */
final class Toy implements Running {
  private final String name;
  private final Object shown;
  private final List<Alarm> alarms;
  private final String problem;
  private final StatusTable table;

  /** @param problem null for none */
  Toy(String name, Object shown, List<Alarm> alarms, String problem, StatusTable table) {
    this.name = name;
    this.shown = shown;
    this.alarms = alarms;
    this.problem = problem;
    this.table = table;
  }

  static Toy of(String name, Object shown) {
    return new Toy(name, shown, List.of(), null, StatusTable.of("Toys", "NAME"));
  }

  @Override
  public Map<String, Section> sections() {
    return Map.of(name, Section.of(() -> shown));
  }

  @Override
  public CompletionStage<List<StatusTable>> tables() {
    return CompletableFuture.completedFuture(List.of(table));
  }

  @Override
  public List<Alarm> alarms() {
    return alarms;
  }

  @Override
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }
}
