package dev.weft.pager.service;

import dev.weft.service.Alarm;
import java.util.ArrayList;
import java.util.List;

/** The alarms of block devices. Stateless; any thread. */
final class PagerAlarms {
  static final String AREA_LOST = "AREA_LOST";

  private PagerAlarms() {}

  static List<Alarm> of(List<PagerSection.Export> exports) {
    List<Alarm> found = new ArrayList<>();
    for (PagerSection.Export export : exports) {
      for (PagerSection.Area area : export.areas()) {
        String what = "bytes " + area.start() + " to " + (area.start() + area.bytes() - 1) + " of export '" + export.name() + "' (node "
            + area.node() + ")";
        switch (area.state()) {
          case "degraded" -> found.add(Alarm.error("AREA_DEGRADED", PagerService.NAME, what + " wait for their server: " + area.why()));
          case "lost" -> found.add(Alarm.error(AREA_LOST, PagerService.NAME, what + " fail with EIO"
              + (area.gone() ? " and are gone: " : " until their server answers: ") + area.why()
              + "; 'weft pager replace " + area.node() + " NODE' replaces them by zeros in a JVM that joined"));
          default -> { }
        }
      }
    }
    return found;
  }
}
