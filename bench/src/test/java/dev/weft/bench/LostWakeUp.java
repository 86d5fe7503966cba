package dev.weft.bench;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The mistake that all others here are about, planted: announce and look without a fence between, on both sides. */
@JCStressTest
@Outcome(id = {"1, 0", "0, 1", "1, 1"}, expect = ACCEPTABLE)
@Outcome(expect = FORBIDDEN, desc = "sleeps beside work")
@State
public class LostWakeUp {
  private int work;
  private int asleep;

  @Actor
  public void sleeper(II_Result r) {
    asleep = 1;
    r.r1 = work;
  }

  @Actor
  public void submitter(II_Result r) {
    work = 1;
    r.r2 = asleep;
  }
}
