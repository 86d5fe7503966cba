package dev.weft.lab.trials.mpi.command;

import com.typesafe.config.ConfigFactory;
import dev.weft.lab.trials.mpi.Examples;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.JobPeer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft mpi-peer}: some ranks of {@code weft mpi run --jvms}; ends on request, or with its parent. Not for users. */
@Command(name = "mpi-peer", hidden = true, description = "Some ranks of a job; started by 'weft mpi run --jvms'.")
public final class MpiPeerCommand implements Callable<Integer> {
  @Mixin private JobPeer peer = new JobPeer();

  @Parameters(index = "0", paramLabel = "EXAMPLE", description = "what to run")
  private String example;

  @Option(names = "--first", required = true, paramLabel = "RANK", description = "the first rank here")
  private int first;

  @Option(names = "--count", required = true, paramLabel = "N", description = "ranks here")
  private int count;

  @Option(names = "--ranks", required = true, paramLabel = "N", description = "ranks of the job")
  private int total;

  @Override
  public Integer call() throws Exception {
    return peer.run(SeveralJvms.JOB, ConfigFactory.load(), fabric -> {
      Ranks ranks = new Ranks(fabric, fabric::addNode, Examples.named(example), first, count, total);
      return new JobPeer.Share() {
        @Override
        public void run() {
          ranks.join();
          if (ranks.failure() != null) {
            throw new CommandFailure(ranks.failure().toString());
          }
        }

        @Override
        public void abort(String why) {
          ranks.abort(why);
        }
      };
    });
  }
}
