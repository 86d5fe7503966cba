package dev.weft.lab;

import dev.weft.lab.measure.LabJvms;
import dev.weft.lab.seed000.PingPongService;
import dev.weft.lab.seed004.NetVmService;
import dev.weft.service.process.FarJvm;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weft lab-peer}: the far JVM of experiments between two; ends with its parent. Not for people. */
@Command(name = LabJvms.COMMAND, hidden = true,
    description = "The far JVM of an experiment; started by 'weft netvm --jvms 2' and 'weft repro'.")
final class LabPeerCommand implements Callable<Integer> {
  @Mixin private FarJvm jvm;

  @Override
  public Integer call() throws Exception {
    return jvm.run(Map.of(), (fabric, far, directory) -> List.of(PingPongService.offer(far), NetVmService.offer(far, directory)));
  }
}
