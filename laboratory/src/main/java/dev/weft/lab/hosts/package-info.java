/**
 * Models of the papers' machines that no part of the product needs: hardware profiles, the processors of a host with their interrupts, task
 * queues and scheduler, the host channel adapter with its bus, disks, TCP paths, the kernel's paging, and load. Begin with {@link
 * dev.weft.lab.hosts.VirtualHost} and {@link dev.weft.lab.hosts.HardwareProfile}. Nothing here knows a result of a paper. Sources: Kernel DSM
 * paper, section 5 and Table 1 for receive contexts; the other profiles name theirs.
 *
 * <p>Every {@code profiles/NAME.conf} gives the source of each number: {@code row: ID} is a row of {@code figures.csv} that may be used for
 * calibration, {@code seed NNN section N} is the text of a paper by its number, {@code source:} is other public knowledge, {@code assumed} is a
 * guess. The columns of {@code figures.csv} are: id; seed, the paper's number; the place in the paper; subject of the measurement; its
 * configuration; metric; value; unit; use. The use is {@code calibrate} for a value to which a profile may be fitted, {@code predict} for a value
 * that only the running code may give, and {@code reference} for measurements of others. A test checks that profiles and code comply.
 *
 * <p>Invariants: all costs depend only on the profile, the messages and their order; nothing is drawn at random.
 */
package dev.weft.lab.hosts;
