package dev.weft.lab.trials.mpi.command;

import com.typesafe.config.ConfigFactory;
import dev.weft.lab.trials.mpi.Example;
import dev.weft.lab.trials.mpi.Outcome;
import dev.weft.service.CommandFailure;
import dev.weft.service.process.JobJvms;
import dev.weft.tripwire.mpi.ErrorClass;
import dev.weft.tripwire.mpi.MpiException;
import java.util.List;

/** A job with its first ranks in this JVM and the others in JVMs of their own. */
final class SeveralJvms {
  static final String JOB = "mpi";

  private SeveralJvms() {}

  /**
   * Runs a job.
   *
   * @throws CommandFailure if a rank or a JVM fails, with the end of its log
   */
  static Outcome run(Example example, int ranks, int jvms) {
    try (JobJvms job = new JobJvms(JOB, jvms, ConfigFactory.load(), jvm -> arguments(example, jvm, ranks, jvms))) {
      Ranks here = new Ranks(job.fabric(), job.fabric()::addNode, example, 0, firstRank(1, ranks, jvms), ranks);
      Thread watch = job.watch(here::abort);
      here.join();
      watch.interrupt();
      if (here.failure() != null) {
        String why = here.failure().toString();
        String lost = job.lost();
        throw new CommandFailure(lost == null ? why + slowOnes(job, here.failure()) : why.contains(lost) ? why : why + "; " + lost,
            here.failure().reason());
      }
      return here.outcome(0);
    }
  }

  private static List<String> arguments(Example example, int jvm, int ranks, int jvms) {
    int first = firstRank(jvm, ranks, jvms);
    return List.of("mpi-peer", "--first=" + first, "--count=" + (firstRank(jvm + 1, ranks, jvms) - first), "--ranks=" + ranks,
        example.name());
  }

  /** The first rank of a JVM; ranks are spread as evenly as possible. */
  static int firstRank(int jvm, int ranks, int jvms) {
    return JobJvms.first(jvm, ranks, jvms);
  }

  /** Output of the JVMs that have not failed, if one of their ranks did not join in time. */
  private static String slowOnes(JobJvms job, Ranks.Failure failure) {
    return failure.reason() instanceof MpiException mpi && mpi.errorClass() == ErrorClass.PROC_FAILED ? job.said() : "";
  }
}
