package dev.example.toy;

import dev.weft.fabric.node.Advert;
import dev.weft.service.Alarm;
import dev.weft.service.Host;
import dev.weft.service.Running;
import dev.weft.service.Section;
import dev.weft.service.StatusTable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What the first JVM knows of the toys: who advertises one, and whether they were wound up. */
final class RunningToys implements Running {
  private final Host host;
  private final int wanted;
  private volatile boolean isWound;
  private volatile List<Advert> toys = List.of();

  RunningToys(Host host, int wanted) {
    this.host = host;
    this.wanted = wanted;
  }

  @Override
  public void look() {
    toys = host.fabric().directory().adverts(ToyService.NAME);
  }

  @Override
  public Map<String, Section> sections() {
    return Map.of(ToyService.NAME, Section.of(() -> Map.of("wound", isWound, "toys", toys.stream().map(Advert::node).toList())));
  }

  @Override
  public CompletionStage<List<StatusTable>> tables() {
    StatusTable table = StatusTable.of("Toys", "NODE", ">WHEELS");
    for (Advert toy : toys) {
      table = table.row(toy.node(), toy.number("wheels").orElse(0L));
    }
    return CompletableFuture.completedFuture(List.of(table));
  }

  @Override
  public List<Alarm> alarms() {
    return wanted == 0 || isWound ? List.of() : List.of(Alarm.warning("TOY_UNWOUND", ToyService.NAME, "nobody has wound the toys up"));
  }

  @Override
  public List<String> answer(List<String> words) {
    if (!words.equals(List.of(ToyCommand.WIND))) {
      return Running.super.answer(words);
    }
    isWound = true;
    return List.of(toys.size() + " toys run.");
  }

  @Override
  public List<String> describe() {
    return wanted == 0 ? List.of() : List.of("Toys     " + wanted);
  }
}
