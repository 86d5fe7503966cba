package dev.weft.pager.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class JoinedExportsTest {
  private final List<String> calls = new ArrayList<>();
  private final Map<String, Throwable> failures = new HashMap<>();
  private final JoinedExports<String> exports = new JoinedExports<>(new JoinedExports.Steps<String>() {
    @Override
    public String open(String node) {
      step("open " + node);
      return "device of " + node;
    }

    @Override
    public void serve(String node, String device) {
      step("serve " + device);
    }

    @Override
    public void withdraw(String node) {
      step("withdraw " + node);
    }

    @Override
    public void close(String device) {
      step("close " + device);
    }
  });

  private void step(String call) {
    calls.add(call);
    switch (failures.get(call)) {
      case null -> { }
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable other -> throw new IllegalStateException(other);
    }
  }

  private List<String> look(String... nodes) {
    calls.clear();
    exports.look(Set.of(nodes));
    return calls;
  }

  @Test
  void shouldServeANodeOnceWhileItIsThere() {
    assertEquals(List.of("open a", "serve device of a"), look("a"));
    assertEquals(List.of(), look("a"));
    assertEquals(List.of("withdraw a", "close device of a"), look());
    assertEquals(Map.of(), exports.devices());
  }

  @Test
  void shouldUndoAndTryAgainWhenAnExportCannotBeAdded() {
    failures.put("serve device of a", new IllegalArgumentException("two exports are called 'a'"));
    List<String> undone = List.of("open a", "serve device of a", "withdraw a", "close device of a");
    assertEquals(undone, look("a"));
    assertEquals(Map.of(), exports.devices());
    assertEquals(undone, look("a"));
    failures.clear();
    assertEquals(List.of("open a", "serve device of a"), look("a"));
    assertEquals(Map.of("a", "device of a"), exports.devices());
  }

  @Test
  void shouldGoOnAfterAnError() {
    failures.put("open a", new OutOfMemoryError("no memory for the pool"));
    assertEquals(List.of("open a"), look("a"));
    failures.clear();
    assertEquals(List.of("open a", "serve device of a"), look("a"));
  }

  @Test
  void shouldServeTheOthersWhenOneFails() {
    failures.put("open a", new IllegalStateException("refused"));
    look("a", "b");
    assertEquals(Set.of("b"), exports.devices().keySet());
  }

  @Test
  void shouldCloseADeviceAlthoughItsExportCannotBeWithdrawn() {
    look("a");
    failures.put("withdraw a", new IllegalStateException("no"));
    assertEquals(List.of("withdraw a", "close device of a"), look());
    assertEquals(Map.of(), exports.devices());
  }
}
