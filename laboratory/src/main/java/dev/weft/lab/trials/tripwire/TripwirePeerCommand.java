package dev.weft.lab.trials.tripwire;

import dev.weft.service.process.FarJvm;
import dev.weft.tripwire.device.NicDevice;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weft tripwire-peer}: the far JVM of {@code tripwire --jvms 2}; ends with its parent. Not for users. */
@Command(name = TripwirePeerCommand.NAME, hidden = true, description = "The far JVM of a measurement; started by 'weft tripwire --jvms 2'.")
public final class TripwirePeerCommand implements Callable<Integer> {
  static final String NAME = "tripwire-peer";

  @Mixin private FarJvm jvm;

  @Option(names = "--tripwires", required = true, paramLabel = "N", description = "Tripwires that the NIC must have room for")
  private int tripwires;

  @Override
  public Integer call() throws Exception {
    return jvm.run(TripwireFabric.settings(tripwires), (fabric, far, directory) -> List.of(TripwireService.offer(NicDevice.start(fabric, far))));
  }
}
