package dev.weft.pager.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.pager.client.AreaState;
import dev.weft.pager.client.AreaStatus;
import dev.weft.service.Alarm;
import dev.weft.service.StatusTable;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** What is told of a block device of which a part is not well. */
class PagerAlarmsTest {
  private static PagerSection.Export export(AreaState second) {
    return PagerSection.Export.of("disk0", 2 << 20, "nbd://127.0.0.1:10809/disk0", List.of(
        new AreaStatus(0, 1 << 20, "a", "pager", AreaState.READY, false, ""),
        new AreaStatus(1 << 20, 1 << 20, "b", "pager", second, second == AreaState.LOST, second == AreaState.READY ? "" : "no reply")));
  }

  @Test
  void shouldSayNothingOfADeviceThatIsWell() {
    assertEquals(List.of(), PagerAlarms.of(List.of(export(AreaState.READY))));
  }

  @Test
  void shouldNameTheBytesThatWait() {
    assertEquals(List.of(Alarm.error("AREA_DEGRADED", "pager",
        "bytes 1048576 to 2097151 of export 'disk0' (node b) wait for their server: no reply")), PagerAlarms.of(List.of(export(AreaState.DEGRADED))));
  }

  @Test
  void shouldNameTheBytesThatAreGone() {
    assertEquals(List.of(Alarm.error("AREA_LOST", "pager",
        "bytes 1048576 to 2097151 of export 'disk0' (node b) fail with EIO and are gone: no reply; 'weft pager replace b NODE' replaces them by zeros in a"
            + " JVM that joined")), PagerAlarms.of(List.of(export(AreaState.LOST))));
  }

  @Test
  void shouldShowTheStateOfTheWorstArea() {
    for (AreaState state : AreaState.values()) {
      StatusTable table = BlockDevices.table(List.of(export(state)));
      assertEquals(List.of("disk0", "2.0 MiB", state.name().toLowerCase(Locale.ROOT), "nbd://127.0.0.1:10809/disk0", "a,b"), table.rows().getFirst());
    }
  }
}
