package dev.weft.lab.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CpuModelTest {
  private static final long SLICE = 1_000;
  private static final long TICK = 100;

  private final List<String> log = new ArrayList<>();
  private long nowNs;
  private CpuModel cpu;

  /** Scheduling 10, context switch 5, slice 1,000, tick 100; interrupts on processor 0. */
  private void host(int cores) {
    cpu = new CpuModel(new CpuCosts(cores, 0, 15, 10, 20, 1, 10, 5, 1, TICK, SLICE));
  }

  private Runnable note(String what) {
    return () -> log.add(what + "@" + nowNs);
  }

  /** Steps from deadline to deadline, so that notes carry the time of their event. */
  private void runTo(long toNs) {
    while (cpu.nextDeadlineNs() <= toNs) {
      nowNs = cpu.nextDeadlineNs();
      cpu.advance(nowNs);
    }
    nowNs = toNs;
    cpu.advance(toNs);
  }

  private int process(String name) {
    return cpu.addProcess(name, nowNs);
  }

  private int hog() {
    int hog = process("hog");
    cpu.spin(hog, true, nowNs);
    return hog;
  }

  @Test
  void shouldRunAnInterruptAfterItsLatencyAndQueueTheNext() {
    host(1);
    cpu.interrupt(15, note("a"), 0);
    cpu.interrupt(15, note("b"), 0);
    runTo(100);
    assertEquals(List.of("a@15", "b@30"), log);
    assertEquals(30, cpu.stats().interruptNs());
  }

  @Test
  void shouldSuspendAProcessForAnInterruptAndGoOnWhereItWas() {
    host(1);
    cpu.submit(process("p"), 100, note("p"), 0);
    runTo(50); // 15 for scheduling and the first switch, 35 of work
    cpu.interrupt(15, note("i"), 50);
    runTo(200);
    assertEquals(List.of("i@65", "p@130"), log);
    assertEquals(100, cpu.stats().processNs());
  }

  @Test
  void shouldRunTheTaskQueueAfterInterruptsAndBeforeProcesses() {
    host(1);
    cpu.submit(process("p"), 30, note("p"), 0);
    cpu.interrupt(15, () -> {
      note("i").run();
      cpu.softirq(10, note("s"), nowNs);
      cpu.interrupt(15, note("j"), nowNs);
    }, 0);
    runTo(200);
    assertEquals(List.of("i@15", "j@30", "s@40", "p@85"), log);
  }

  @Test
  void shouldLetAnInterruptPreemptTheTaskQueue() {
    host(1);
    cpu.softirq(10, note("s"), 0);
    runTo(4);
    cpu.interrupt(15, note("i"), 4);
    runTo(100);
    assertEquals(List.of("i@19", "s@25"), log);
  }

  @Test
  void shouldChargeAContextSwitchOnlyAfterAnotherProcess() {
    host(1);
    int p = process("p");
    int q = process("q");
    cpu.submit(p, 1, note("p"), 0);
    runTo(50);
    cpu.submit(p, 1, note("p"), 50);
    runTo(100);
    cpu.submit(q, 1, note("q"), 100);
    runTo(150);
    cpu.submit(p, 1, note("p"), 150);
    runTo(200);
    assertEquals(List.of("p@16", "p@61", "q@116", "p@166"), log);
  }

  @Test
  void shouldAddWhatAHandlerChargesAfterIt() {
    host(1);
    cpu.interrupt(15, () -> {
      note("i").run();
      cpu.charge(25);
    }, 0);
    cpu.interrupt(15, note("j"), 0);
    runTo(100);
    assertEquals(List.of("i@15", "j@55"), log);
    assertThrows(IllegalStateException.class, () -> cpu.charge(1));
  }

  @Test
  void shouldShareOneProcessorBetweenHogsBySlices() {
    host(1);
    int a = hog();
    int b = hog();
    cpu.submit(a, 10 * SLICE, note("a"), 0);
    cpu.submit(b, 10 * SLICE, note("b"), 0);
    runTo(25 * SLICE);
    assertEquals(2, log.size());
    assertTrue(log.get(0).startsWith("a@19") && log.get(1).startsWith("b@20"), log::toString);
    assertTrue(cpu.stats().preemptions() >= 19, () -> cpu.stats().toString());
  }

  @Test
  void shouldLetASleeperPreemptAHogWithLessCredit() {
    host(1);
    int sleeper = process("sleeper");
    hog();
    runTo(500);
    cpu.submit(sleeper, 5, note("s"), 500);
    runTo(600);
    assertEquals(List.of("s@520"), log);
  }

  @Test
  void shouldMakeAProcessWaitForTheSliceOfOneWithAsMuchCredit() {
    host(1);
    hog();
    runTo(10);
    int fresh = process("fresh");
    cpu.submit(fresh, 5, note("f"), 10);
    runTo(3 * SLICE);
    assertEquals(List.of("f@" + (15 + SLICE + 20)), log);
  }

  @Test
  void shouldWakeOnAnIdleProcessorWhileAnInterruptOccupiesTheOther() {
    host(2);
    int p = process("p");
    hog(); // takes processor 0
    runTo(50);
    cpu.interrupt(15, note("i"), 50);
    cpu.submit(p, 5, note("p"), 50);
    runTo(100);
    assertEquals(List.of("i@65", "p@70"), log);
  }

  @Test
  void shouldStartAJobOfASpinningProcessAtOnce() {
    host(2);
    int poller = hog();
    runTo(500);
    cpu.submit(poller, 1, note("poll"), 500);
    runTo(510);
    cpu.spin(poller, false, 510);
    runTo(600);
    cpu.submit(poller, 1, note("late"), 600);
    runTo(700);
    assertEquals(List.of("poll@501", "late@611"), log);
    assertEquals(510 - 15 + 1, cpu.stats().processNs());
  }

  @Test
  void shouldNotStarveThoseThatWaitBehindAPreemption() {
    host(2);
    hog();
    hog();
    int sleeper = process("sleeper");
    runTo(SLICE / 2);
    cpu.spin(sleeper, true, nowNs);
    int last = hog();
    cpu.submit(last, 1, note("last"), nowNs);
    runTo(10 * SLICE);
    assertEquals(1, log.size(), "the fourth of four processes that spin on two processors has its turn");
  }

  @Test
  void shouldGiveAWokenProcessTheIdleProcessorRatherThanOneThatAnInterruptHas() {
    host(2);
    int first = process("first");
    int second = process("second");
    cpu.submit(first, 10, null, 0);
    runTo(100); // Its last processor is number 0.
    cpu.interrupt(500, null, 100);
    cpu.submit(first, 100, note("first"), 110);
    cpu.submit(second, 100, note("second"), 110);
    runTo(2_000);
    // The interrupt ends at 600; the other processor is faster for both.
    assertEquals(List.of("first@225", "second@340"), log);
  }

  @Test
  void shouldRunSignalsInOrderBeforeWhatTheirProcessComputes() {
    host(1);
    int p = process("p");
    cpu.submit(p, 1_000, note("computed"), 0);
    runTo(100);
    cpu.signal(p, 20, note("a"), 100);
    cpu.signal(p, 20, note("b"), 110);
    runTo(3_000);
    assertEquals(List.of("a@120", "b@140", "computed@1055"), log);
  }

  @Test
  void shouldRunASignalOfAProcessThatHasNoProcessorWhenItsTurnComes() {
    host(1);
    int p = process("p");
    hog();
    cpu.submit(p, 2 * SLICE, note("computed"), 0);
    runTo(SLICE / 2);
    cpu.signal(p, 20, note("signal"), nowNs);
    runTo(10 * SLICE);
    assertEquals(2, log.size(), log.toString());
    assertTrue(log.getFirst().startsWith("signal@") && !log.getFirst().equals("signal@" + (SLICE / 2 + 20)), log.toString());
  }

  @Test
  void shouldRefuseMoreThanAQueueHolds() {
    host(1);
    for (int i = 0; i <= CpuModel.QUEUE_MAX; i++) {
      cpu.interrupt(1, null, 0); // one of them is in service
    }
    assertThrows(IllegalStateException.class, () -> cpu.interrupt(1, null, 0));
  }
}
