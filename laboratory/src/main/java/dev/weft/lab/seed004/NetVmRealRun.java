package dev.weft.lab.seed004;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.lab.measure.LabJvms;
import dev.weft.lab.seed004.NetVmCommand.What;
import dev.weft.lab.seed004.NetVmRealExperiment.Bandwidth;
import dev.weft.lab.seed004.NetVmRealExperiment.Faults;
import dev.weft.lab.seed004.NetVmRealExperiment.Latency;
import dev.weft.lab.seed004.NetVmRealExperiment.Locks;
import dev.weft.lab.seed004.NetVmRealExperiment.Pinning;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.TwoJvms;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** {@code weft netvm --jvms 2}: measures on this machine and prints both sides. */
final class NetVmRealRun {
  private static final int[] LATENCY_SIZES = {8, 4096, 65_536};
  private static final int[] BANDWIDTH_SIZES = {4096, 65_536, 1 << 20};
  private static final int[] PINNING_SIZES = {4096, 65_536, 1 << 20};
  private static final int OPERATIONS = 20_000;
  private static final int FAULTING_OPERATIONS = 100_000;

  private final NetVmRealExperiment experiment;
  private final PrintWriter out;
  private final Map<String, Object> values = new LinkedHashMap<>();
  private final boolean json;

  private NetVmRealRun(NetVmRealExperiment experiment, PrintWriter out, boolean json) {
    this.experiment = experiment;
    this.out = out;
    this.json = json;
  }

  /** Runs it; {@code operations} may be null. */
  static void run(What what, Integer operations, int perSecond, long seed, boolean json, PrintWriter out) {
    int count = operations != null ? operations : what == What.FAULTS ? FAULTING_OPERATIONS : OPERATIONS;
    try (TwoJvms jvms = LabJvms.start();
        NetVmRealExperiment experiment = new NetVmRealExperiment(jvms.near(), TwoJvms.FAR, jvms.directory())) {
      NetVmRealRun run = new NetVmRealRun(experiment, out, json);
      run.line("this machine, two JVMs");
      switch (what) {
        case LATENCY -> run.latency(count);
        case BANDWIDTH -> run.bandwidth();
        case PINNING -> run.pinning(count);
        case LOCKS -> run.locks(count);
        case FAULTS -> run.faults(count, perSecond, seed);
      }
      if (json) {
        out.println(new ObjectMapper().writeValueAsString(run.values));
      }
      out.flush();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new CommandFailure("the page file cannot be made: " + e.getMessage(), e);
    } catch (IllegalStateException failed) {
      throw new CommandFailure(failed.getMessage(), failed);
    }
  }

  private void line(String format, Object... args) {
    if (!json) {
      out.println(String.format(Locale.ROOT, format, args));
      out.flush();
    }
  }

  private static double us(long ns) {
    return ns / 1e3;
  }

  private void latency(int count) {
    line("%8s %14s %14s %14s %14s %8s", "bytes", "unpinned [us]", "p99", "pinned [us]", "p99", "ratio");
    for (int bytes : LATENCY_SIZES) {
      Latency l = experiment.latency(bytes, bytes > 4096 ? count / 4 : count);
      double ratio = (double) l.unpinnedP50() / l.pinnedP50();
      line("%8d %14.2f %14.2f %14.2f %14.2f %8.3f", bytes, us(l.unpinnedP50()), us(l.unpinnedP99()), us(l.pinnedP50()), us(l.pinnedP99()),
          ratio);
      values.put("unpinned" + bytes, us(l.unpinnedP50()));
      values.put("pinned" + bytes, us(l.pinnedP50()));
    }
  }

  private void bandwidth() {
    line("%8s %16s %16s %8s", "bytes", "unpinned [GB/s]", "pinned [GB/s]", "ratio");
    for (int bytes : BANDWIDTH_SIZES) {
      Bandwidth b = experiment.bandwidth(bytes);
      line("%8d %16.2f %16.2f %8.3f", bytes, b.unpinned() / 1e9, b.pinned() / 1e9, b.unpinned() / b.pinned());
      values.put("unpinned" + bytes, b.unpinned() / 1e9);
      values.put("pinned" + bytes, b.pinned() / 1e9);
    }
  }

  private void pinning(int count) {
    line("%8s %20s %20s %28s", "bytes", "to register [us]", "unpinned adds [us]", "pinning costs less from [%]");
    for (int bytes : PINNING_SIZES) {
      Pinning p = experiment.pinning(bytes, Math.max(100, bytes > 4096 ? count / 20 : count));
      line("%8d %20.2f %20.2f %28.1f", bytes, us(p.registration()), us(p.added()), p.breakEven() * 100);
      values.put("registration" + bytes, us(p.registration()));
      values.put("added" + bytes, us(p.added()));
    }
  }

  private void locks(int count) {
    Locks l = experiment.locks(count);
    line("hand-over to a waiter  p50 %8.2f us, p99 %8.2f us", us(l.handOver()), us(l.handOverP99()));
    line("entering a free lock   p50 %8.2f us", us(l.enter()));
    values.put("handOver", us(l.handOver()));
    values.put("handOverP99", us(l.handOverP99()));
    values.put("enter", us(l.enter()));
  }

  private void faults(int count, int perSecond, long seed) {
    Faults f = experiment.faults(count, perSecond, seed);
    line("%d operations on random pages: %d faults, %d packets redirected, %d RNR NAKs or time-outs", f.operations(), f.faults(),
        f.redirected(), f.rnr());
    line("latency p50 %.1f us, p99 %.1f us, worst %.1f us", us(f.p50()), us(f.p99()), us(f.worst()));
    line("a connection that meets no absent page, beside it, writes per second:");
    line("  alone                                        %10.0f", f.silent());
    line("  with these operations on pages that are there %9.0f  (%.0f of them per second)", f.resident(), f.residentOperations());
    line("  with them on random pages                    %10.0f  (%.0f per second), %.3f and %.3f of that", f.faulting(),
        f.faultingOperations(), f.faulting() / f.silent(), f.faulting() / f.resident());
    values.put("faults", f.faults());
    values.put("rnr", f.rnr());
    values.put("worst", us(f.worst()));
    values.put("alone", f.silent());
    values.put("resident", f.resident());
    values.put("faulting", f.faulting());
  }
}
