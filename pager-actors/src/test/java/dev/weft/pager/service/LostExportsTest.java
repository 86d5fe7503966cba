package dev.weft.pager.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.service.Alarm;
import dev.weft.service.CommandFailure;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class LostExportsTest {
  private static final Instant AT = Instant.parse("2026-11-28T12:00:00.123Z");

  private final LostExports lost = new LostExports();

  private List<String> texts() {
    return lost.alarms().stream().map(Alarm::text).toList();
  }

  private static String text(int number) {
    return "export 'joined-" + number + "' is lost with its 64.0 MiB since 2026-11-28T12:00:00Z: the fabric removed its JVM h:" + number
        + "; './weft pager forget joined-" + number + "' ends this alarm";
  }

  @Test
  void shouldTellOfAnExportWhoseJvmTheFabricHasRemovedInWhicheverOrderItIsHeard() {
    lost.withdrawn("joined-1", "h:1", 64 << 20, AT);
    assertEquals(List.of(), texts(), "it may have left in order");
    lost.removed("h:1");
    lost.removed("h:2");
    lost.withdrawn("joined-2", "h:2", 64 << 20, AT);
    lost.withdrawn("joined-3", "h:3", 64 << 20, AT);
    assertEquals(List.of(text(1), text(2)), texts());
    assertEquals(Alarm.Severity.ERROR, lost.alarms().getFirst().severity());
  }

  @Test
  void shouldEndTheAlarmWhenItIsAcknowledged() {
    lost.withdrawn("joined-1", "h:1", 1, AT);
    assertThrows(CommandFailure.class, () -> lost.forget("joined-1"));
    lost.removed("h:1");
    assertThrows(CommandFailure.class, () -> lost.forget("joined-2"));
    lost.forget("joined-1");
    assertEquals(List.of(), texts());
  }

  @Test
  void shouldKeepABoundedNumber() {
    for (int i = 0; i < 100; i++) {
      lost.removed("h:" + i);
      lost.withdrawn("joined-" + i, "h:" + i, 1, AT);
    }
    assertEquals(32, lost.alarms().size());
  }
}
