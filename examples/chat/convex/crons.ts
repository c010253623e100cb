import { cronJobs } from "convex/server";
import { internal } from "./_generated/api";

const crons = cronJobs();

crons.interval("count the minutes", { minutes: 1 }, internal.counters.add, { name: "minutes" });

export default crons;
