package dev.weft.perftest;

import dev.weft.service.process.FarJvm;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weft perftest-peer}: the far JVM of {@code perftest --jvms 2}; ends with its parent. Users do not call it. */
@Command(name = "perftest-peer", hidden = true, description = "The far JVM of a perftest; started by 'weft perftest --jvms 2'.")
public final class PerftestPeerCommand implements Callable<Integer> {
  @Mixin private FarJvm jvm;

  @Override
  public Integer call() throws Exception {
    return jvm.run(Map.of(), (fabric, far, directory) ->
        List.of(ParkService.offer(fabric, far), PerfService.offer(far, fabric.dispatcher(), fabric::trunkBytesCopied)));
  }
}
