package dev.weft.lab.trials.dsm.command;

import dev.weft.service.process.JobPeer;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weft dsm-peer}: runs some nodes for a command of {@code weft dsm} with {@code --jvms}. Not for users. */
@Command(name = "dsm-peer", hidden = true, description = "Some nodes of shared memory; started by 'weft dsm ... --jvms'.")
public final class DsmPeerCommand implements Callable<Integer> {
  @Mixin private JobPeer peer = new JobPeer();

  @Parameters(arity = "1..*", paramLabel = "WORD", description = "what to do")
  private List<String> task;

  @Option(names = "--first", required = true, paramLabel = "NODE", description = "the first node here")
  private int first;

  @Option(names = "--count", required = true, paramLabel = "N", description = "nodes here")
  private int count;

  @Option(names = "--nodes", required = true, paramLabel = "N", description = "nodes of the job")
  private int nodes;

  @Option(names = "--threads", required = true, paramLabel = "N", description = "threads of each")
  private int threads;

  @Option(names = "--context", paramLabel = "CONTEXT", description = "execution context of the protocol")
  private String context;

  @Option(names = "--engine", paramLabel = "ENGINE", description = "engine that keeps memory coherent")
  private String engine;

  @Option(names = "--home", paramLabel = "HOME", description = "placement of homes")
  private String home;

  @Option(names = "--mmu", description = "threads are in processes of their own")
  private boolean mmu;

  @Override
  public Integer call() throws Exception {
    Team team = new Team(nodes, threads, 1, context, engine, home, mmu);
    return peer.run(Team.JOB, team.config(), fabric -> team.new Share(fabric, fabric::addNode, first, count, Tasks.of(task)));
  }
}
