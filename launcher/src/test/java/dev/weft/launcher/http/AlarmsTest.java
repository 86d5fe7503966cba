package dev.weft.launcher.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.switching.PortSnapshot;
import dev.weft.fabric.switching.SwitchSnapshot;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.Stall;
import dev.weft.service.Alarm;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AlarmsTest {
  private static HcaSnapshot hca(boolean linkUp, long dropped, QpState state, boolean overrun) {
    return hca(linkUp, dropped, state, overrun, 0);
  }

  private static HcaSnapshot hca(boolean linkUp, long dropped, QpState state, boolean overrun, long silenceMaxNs) {
    return hca(linkUp, dropped, state, overrun, silenceMaxNs, Stall.NONE, state == QpState.RTS ? "" : "RETRY_EXC_ERR");
  }

  private static HcaSnapshot stalled(Stall.Cause cause, long ns) {
    return hca(true, 0, QpState.RTS, false, 0, new Stall(cause, ns), "");
  }

  private static HcaSnapshot hca(boolean linkUp, long dropped, QpState state, boolean overrun, long silenceMaxNs, Stall stall, String failure) {
    return new HcaSnapshot("n", 7, linkUp, List.of(8),
        new HcaSnapshot.Counters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, dropped, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        List.of(new HcaSnapshot.Qp(3, state, 9, 11, 0, 16, 0, 16, 0, 0, 0, 7, false, QpType.RC, 0, 0, 4, silenceMaxNs, 17_179_869_184L,
            stall, failure)),
        List.of(new HcaSnapshot.Cq(5, ReceiveContext.POLLING, 0, 64, false, overrun, 0, 0, false, false, false)), List.of(), List.of(),
        List.of(), List.of(), List.of(), List.of());
  }

  private static SwitchSnapshot port(boolean up, long discards, long controlErrors, boolean stalled) {
    return new SwitchSnapshot(List.of(new PortSnapshot(2, "n", 7, up, 0, 0, 0, 0, new PortSnapshot.Discards(discards, 0, 0, 0),
        controlErrors, 0, List.of(new PortSnapshot.Lane(0, 0, 0, 0, 0, 0, stalled)))), List.of(), List.of());
  }

  private static List<String> kinds(List<Alarm> alarms) {
    return alarms.stream().map(alarm -> alarm.severity() + " " + alarm.kind() + " " + alarm.element()).toList();
  }

  @Test
  void shouldFindNothingWhereNothingIsWrong() {
    assertEquals(List.of(), Alarms.of(hca(true, 0, QpState.RTS, false), 0));
    assertEquals(List.of(), Alarms.of(port(true, 0, 0, false)));
    assertEquals(List.of(), Alarms.of(new ClusterView("h:1", "Up", "h:1",
        List.of(new ClusterView.MemberView("h:1", 1, "Up", false, List.of())), List.of())));
  }

  @Test
  void shouldFindWhatIsWrongWithAnHca() {
    assertEquals(List.of("ERROR LINK_DOWN nodes/n", "ERROR QP_ERR nodes/n/qps/3", "ERROR CQ_OVERRUN nodes/n/cqs/5",
        "WARNING HCA_DROPS nodes/n", "WARNING ASYNC_EVENTS_LOST nodes/n"), kinds(Alarms.of(hca(false, 4, QpState.ERR, true), 2)));
    assertEquals(List.of("ERROR QP_SQE nodes/n/qps/3"), kinds(Alarms.of(hca(true, 0, QpState.SQE, false), 0)));
  }

  @Test
  void shouldWarnOfAConnectionThatCameNearItsEnd() {
    assertEquals(List.of(), Alarms.of(hca(true, 0, QpState.RTS, false, 8_589_934_591L), 0));
    List<Alarm> found = Alarms.of(hca(true, 0, QpState.RTS, false, 9_100_000_000L), 0);
    assertEquals(List.of("WARNING RETRIES_HIGH nodes/n/qps/3"), kinds(found));
    assertEquals("queue pair 3 waited 9.10 s for an answer and used 4 retries; it fails after 17.18 s", found.get(0).text());
  }

  @Test
  void shouldWarnOnlyOfAQueuePairWhoseConnectionEndedInOrder() {
    List<Alarm> found = Alarms.of(hca(true, 0, QpState.ERR, false, 0, Stall.NONE, ""), 0);
    assertEquals(List.of("WARNING QP_ERR nodes/n/qps/3"), kinds(found));
  }

  @ParameterizedTest
  @CsvSource({"RNR_STALLED, ERROR, post receives there", "RECEIVE_MISSING, ERROR, post receives", "WINDOW_FULL, ERROR, pages of its memory",
      "PEER_SILENT, ERROR, 7 retries are left", "CQ_NOT_POLLED, WARNING, poll its completion queue"})
  void shouldSayWhyAQueuePairDoesNotMove(Stall.Cause cause, Alarm.Severity severity, String advice) {
    assertEquals(List.of(), Alarms.of(stalled(cause, QueuePairAlarms.STALLED_AFTER_NS - 1), 0));
    List<Alarm> found = Alarms.of(stalled(cause, 11_500_000_000L), 0);
    assertEquals(List.of(severity + " " + cause + " nodes/n/qps/3"), kinds(found));
    assertTrue(found.get(0).text().startsWith("queue pair 3 to LID 9 QP 11 has waited for 11.5 s: "), found::toString);
    assertTrue(found.get(0).text().contains(advice), found::toString);
  }

  @Test
  void shouldFindWhatIsWrongWithAPort() {
    List<Alarm> found = Alarms.of(port(false, 6, 1, true));
    assertEquals(List.of("ERROR PORT_DOWN switch/ports/2", "ERROR LANE_STALLED switch/ports/2",
        "WARNING SWITCH_DISCARDS switch/ports/2", "WARNING CREDIT_ERRORS switch/ports/2"), kinds(found));
    assertTrue(found.get(2).text().contains("discarded 6 packets (no route 6,"), found::toString);
  }

  @Test
  void shouldFindMembersThatAreNotHeard() {
    ClusterView view = new ClusterView("h:1", "Down", "", List.of(new ClusterView.MemberView("h:2", 1, "Up", true, List.of())),
        List.of());
    assertEquals(List.of("ERROR MEMBER_UNREACHABLE status", "ERROR SELF_REMOVED status"), kinds(Alarms.of(view)));
  }
}
