package dev.weft.pager.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pager.client.AreaState;
import dev.weft.pager.client.AreaStatus;
import dev.weft.service.CommandFailure;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ReplacementTest {
  private static final String JOINED = "joined-7";
  private static final String SMALL = "joined-6";
  private static final List<AreaStatus> AREAS = List.of(
      new AreaStatus(0, 1 << 20, "memory-1", "pager", AreaState.READY, false, ""),
      new AreaStatus(1 << 20, 1 << 20, "memory-2", "pager", AreaState.LOST, true, "its node was lost"),
      new AreaStatus(2 << 20, 1 << 20, "memory-3", "pager", AreaState.DEGRADED, false, "no reply"));

  private static Map<String, Long> offers(String... joined) {
    return Arrays.stream(joined).collect(Collectors.toMap(Function.identity(), node -> node.equals(SMALL) ? 64L << 10 : 1L << 20));
  }

  private static String refusal(String lost, String node, String... joined) {
    return assertThrows(CommandFailure.class, () -> Replacement.choose(lost, node, AREAS, offers(joined))).getMessage();
  }

  @Test
  void shouldChooseAJvmThatJoinedForALostArea() {
    Replacement.Choice choice = Replacement.choose("memory-2", JOINED, AREAS, offers(SMALL, JOINED));
    assertEquals(1, choice.area());
    assertTrue(choice.warning().contains("bytes 1048576 to 2097151 of export '' would read as zeros"), choice.warning());
    assertTrue(choice.warning().contains("export '" + JOINED + "'") && choice.warning().contains("--yes"), choice.warning());
  }

  @Test
  void shouldSayWhatWouldBeRight() {
    assertEquals("'memory-9' holds no area of the block device; these do: memory-1, memory-2, memory-3", refusal("memory-9", JOINED, JOINED));
    assertEquals("the area of memory-1 is ready; only a lost one can be replaced", refusal("memory-1", JOINED, JOINED));
    assertEquals("the area of memory-3 is degraded; only a lost one can be replaced", refusal("memory-3", JOINED, JOINED));
    assertTrue(refusal("memory-2", JOINED).endsWith("there is none: start one with './weft join'"));
    assertTrue(refusal("memory-2", "joined-8", JOINED).endsWith("these are: " + JOINED));
    assertTrue(refusal("memory-2", SMALL, SMALL).contains("offers 64K, the area of memory-2 has 1M"));
  }

  @Test
  void shouldNotUseTheSameMemoryTwice() {
    List<AreaStatus> areas = List.of(new AreaStatus(0, 1 << 20, JOINED, "pager", AreaState.READY, false, ""), AREAS.get(1));
    CommandFailure failure = assertThrows(CommandFailure.class, () -> Replacement.choose("memory-2", JOINED, areas, offers(JOINED)));
    assertTrue(failure.getMessage().contains("is no JVM that has joined and is free"), failure.getMessage());
  }
}
